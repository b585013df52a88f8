#include "testkit/scheduler/generator/plot.h"

#include "json/print.h"

namespace proa::testkit::generator {

std::string_view PodPlan::label(std::string_view key) const {
  for (const auto& [its_key, value] : labels) {
    if (its_key == key) return value;
  }
  return {};
}

std::string random_app(Dice& dice) { return dice.pick({"web", "db", "cache"}); }

std::string random_zone(Dice& dice) { return dice.pick({"zone-a", "zone-b", "zone-c"}); }

std::string random_topology_key(Dice& dice) {
  return dice.pick({kHostname, kHostname, kZone, kZone, kRegion, "rack"});
}

std::vector<std::string> namespaces_of(const Plot& plot) {
  if (!plot.has(Feature::kNamespaces)) return {"default"};
  return {"default", "team-a", "team-b"};
}

std::string json_text(std::string_view text) {
  std::string out;
  json::print_string_to(out, text);
  return out;
}

std::string json_list(const Names& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + json_text(name);
  return "[" + all + "]";
}

std::string json_map(const Pairs& pairs) {
  std::string all;
  for (const auto& [name, value] : pairs)
    all += (all.empty() ? "" : ",") + json_text(name) + ":" + json_text(value);
  return "{" + all + "}";
}

}  // namespace proa::testkit::generator
