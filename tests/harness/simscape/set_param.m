function set_param(varargin), simulink("set", varargin{:}); end
