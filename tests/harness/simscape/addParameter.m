function addParameter(mask, varargin), assert(ischar(mask.block)); simulink("mask parameter", varargin{:}); end
