-- Links, citations and names of the C interface, for the pages of the site. Called by build.sh with the metadata
-- `folder` ("docs" or "."), `keys` and `names` (files with one word per line), `titles` (page and title per line).

local folder, keys, names, titles = "docs", {}, {}, {}

local function read_words(path)
  local words = {}
  for line in io.lines(path) do words[line] = true end
  return words
end

local function text_of(value) return value and pandoc.utils.stringify(value) or nil end

-- "../CONVENTIONS.md" seen from docs/ or "docs/step.md" seen from the root: a path from the root of the repository.
local function from_root(target)
  local path = folder == "." and target or folder .. "/" .. target
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then table.remove(parts) elseif part ~= "." then table.insert(parts, part) end
  end
  return table.concat(parts, "/")
end

-- Where a file of the repository is in the site; nil if it is not part of it.
local function in_site(path)
  local page = path:match("^docs/([^/]+)%.md$")
  if page then return page .. ".html" end
  page = path:match("^docs/notes/([^/]+)%.md$")
  if page then return "notes_" .. page .. ".html" end
  page = path:match("^(%u+)%.md$")
  if page then return page:lower() .. ".html" end
  return not path:match("%.md$") and path:match("^docs/(.+%.%w+)$") or nil -- pictures and data
end

local function Link(link)
  if link.target:match("^%a+:") or link.target:match("^#") then return nil end
  local file, anchor = link.target:match("^([^#]*)(.*)$")
  local place = in_site(from_root(file))
  if not place then return link.content end -- a file of the source tree: its name stays, the link does not
  link.target = place .. anchor
  local text = pandoc.utils.stringify(link.content)
  if text:match("%.md$") and titles[place] then link.content = { pandoc.Str(titles[place]) } end
  return link
end

local function Image(image)
  image.src = in_site(from_root(image.src)) or image.src
  return image
end

-- [Key] and [Key, place] in running text.
local function Str(word)
  local before, key, after = word.text:match("^(.-%[)(%u%a+%d%d%d%d%l?)([,;%]].*)$")
  if not key or not keys[key] then return nil end
  return { pandoc.Str(before), pandoc.Link({ pandoc.Str(key) }, "references.html#ref-" .. key, "", { class = "key" }),
           pandoc.Str(after) }
end

local function Code(code)
  local name = code.text:match("^(jn_[%w_]+)%(?%)?$") or
               code.text:match("^(JN_[%w_]+)$")
  if not name or not names[name] then return nil end
  return pandoc.Link({ code }, "api.html#" .. name)
end

local function escaped(text) return (text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;")) end

-- What is typed stands out from what is answered.
local function CodeBlock(block)
  if block.classes[1] ~= "console" then return nil end
  local out, typed = {}, false
  for line in (block.text .. "\n"):gmatch("(.-)\n") do
    typed = line:match("^%$ ") or (typed and line:match("^> "))
    table.insert(out, typed and "<span class=\"typed\">" .. escaped(line) .. "</span>" or escaped(line))
  end
  return pandoc.RawBlock("html", "<pre class=\"console\"><code>" .. table.concat(out, "\n") .. "</code></pre>")
end

local function Meta(meta)
  folder = text_of(meta.folder) or folder
  for line in io.lines(text_of(meta.titles)) do
    local place, title = line:match("^(%S+) (.*)$")
    titles[place] = title
  end
  keys, names = read_words(text_of(meta.keys)), read_words(text_of(meta.names))
end

-- Links are turned first, so that those made of citations and names are left alone.
return { { Meta = Meta }, { Link = Link, Image = Image }, { Str = Str, Code = Code, CodeBlock = CodeBlock } }
