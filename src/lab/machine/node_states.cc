#include "lab/machine/node_states.h"

#include "json/parse.h"

namespace proa::lab {
namespace states {

constexpr size_t kMaxBytes = 1 << 20;

std::string text_of(const json::Value& node, std::string_view field) {
  const json::Value* found = node.find(field);
  if (found == nullptr || !found->is(json::Kind::kString)) return "";
  return std::string(found->as_string());
}

}  // namespace states

NodeStates node_states(const std::string& text) {
  NodeStates found;
  const auto document = json::parse(text, {.max_size = states::kMaxBytes});
  const json::Value* nodes = document.ok() ? document->root().find("nodes") : nullptr;
  if (nodes == nullptr) return found;
  for (const json::Value& node : nodes->items()) {
    const std::string name = states::text_of(node, "name");
    if (name.empty()) continue;
    const json::Value* ready = node.find("ready");
    found[name] = {.ready = ready != nullptr && ready->is(json::Kind::kBool) && ready->as_bool(),
                   .why_not = states::text_of(node, "message")};
  }
  return found;
}

}  // namespace proa::lab
