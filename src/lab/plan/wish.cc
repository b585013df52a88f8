#include "lab/plan/wish.h"

#include <algorithm>

#include "json/parse.h"
#include "json/print.h"

namespace proa::lab {
namespace wish {

constexpr size_t kLongestName = 30;
constexpr std::string_view kRouted = "routed";
constexpr std::string_view kBridged = "bridged";
constexpr std::string_view kFamilies[] = {"ipv4", "ipv6", "dual-stack"};

std::string_view text_of(const json::Value& document, std::string_view key) {
  const json::Value* value = document.find(key);
  return value != nullptr && value->is(json::Kind::kString) ? value->as_string() : "";
}

std::vector<std::string> list_of(const json::Value& document, std::string_view key) {
  std::vector<std::string> list;
  const json::Value* value = document.find(key);
  if (value == nullptr) return list;
  for (const json::Value& item : value->items()) {
    if (item.is(json::Kind::kString)) list.emplace_back(item.as_string());
  }
  return list;
}

}  // namespace wish

Result<void> check_lab_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!name.empty() && name.size() <= wish::kLongestName && std::ranges::all_of(name, fits) &&
      name.front() != '-' && name.back() != '-') {
    return {};
  }
  return Status(Reason::kInvalid,
                "--name must consist of at most 30 lower case letters, digits and '-', not '" +
                    std::string(name) + "'");
}

std::string print_wish(const Wish& wish) {
  json::Document document;
  json::Arena& arena = document.arena();
  const auto list_of = [&](const std::vector<std::string>& texts) {
    json::Value list = json::Value::array();
    for (const std::string& text : texts) list.push_back(arena, json::Value::string(arena, text));
    return list;
  };
  json::Value& root = document.root() = json::Value::object();
  root.set(arena, "name", json::Value::string(arena, wish.name));
  root.set(arena, "nodes", json::Value::integer(wish.nodes));
  root.set(arena, "serverApart", json::Value::boolean(wish.server_apart));
  const bool routed = wish.topology == Topology::kRouted;
  root.set(arena, "topology", json::Value::borrowed(routed ? wish::kRouted : wish::kBridged));
  root.set(arena, "families",
           json::Value::borrowed(wish::kFamilies[static_cast<size_t>(wish.families)]));
  root.set(arena, "serverFlags", list_of(wish.server_flags));
  root.set(arena, "nodeFlags", list_of(wish.node_flags));
  return json::print_pretty(root) + "\n";
}

Result<Wish> parse_wish(std::string_view text) {
  const json::Document document = TRY(json::parse(text, {.max_size = 1 << 20}));
  const json::Value& root = document.root();
  Wish wish;
  wish.name = wish::text_of(root, "name");
  TRY(check_lab_name(wish.name));
  const json::Value* nodes = root.find("nodes");
  if (nodes == nullptr || !nodes->is(json::Kind::kInt) || nodes->as_int() < 1 ||
      nodes->as_int() > kMostNodes) {
    return Status(Reason::kInvalid, "nodes is missing or out of range");
  }
  wish.nodes = static_cast<int>(nodes->as_int());
  const json::Value* apart = root.find("serverApart");
  wish.server_apart = apart != nullptr && apart->is(json::Kind::kBool) && apart->as_bool();
  const std::string_view topology = wish::text_of(root, "topology");
  if (topology != wish::kRouted && topology != wish::kBridged) {
    return Status(Reason::kInvalid, "topology is neither bridged nor routed");
  }
  wish.topology = topology == wish::kRouted ? Topology::kRouted : Topology::kBridged;
  const auto family = std::ranges::find(wish::kFamilies, wish::text_of(root, "families"));
  if (family == std::end(wish::kFamilies)) {
    return Status(Reason::kInvalid, "families is none of ipv4, ipv6, dual-stack");
  }
  wish.families = static_cast<Families>(family - std::begin(wish::kFamilies));
  wish.server_flags = wish::list_of(root, "serverFlags");
  wish.node_flags = wish::list_of(root, "nodeFlags");
  return wish;
}

}  // namespace proa::lab
