-- The key of each source in front of its entry, as pages cite it.
function Div(div)
  local key = div.identifier:match("^ref%-(.+)$")
  if not key then return nil end
  local first = div.content[1]
  if first and first.content then
    table.insert(first.content, 1, pandoc.Space())
    table.insert(first.content, 1, pandoc.Strong({ pandoc.Str("[" .. key .. "]") }))
  end
  return div
end
