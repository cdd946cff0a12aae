"""`python -m appliance` is the same as `appliance`."""

from appliance.cli import main

if __name__ == "__main__":
    main()
