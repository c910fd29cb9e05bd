"""`python -m streambayes`."""

try:
    from .cli.main import main
except KeyboardInterrupt:  # while it still starts
    raise SystemExit(130) from None

if __name__ == "__main__":
    raise SystemExit(main())
