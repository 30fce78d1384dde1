"""What four published designs claim, each claim with its experiment."""
