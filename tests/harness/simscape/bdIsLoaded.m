function found = bdIsLoaded(name), found = simulink("is loaded", name); end
