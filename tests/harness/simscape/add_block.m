function add_block(varargin), simulink("add block", varargin{:}); end
