"""Who answers. No call leaves the house except through `resolver.Resolver`, which pays first."""
