function mask = create(block)
simulink('mask', block);
mask = struct('block', block);
end
