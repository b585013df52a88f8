#include "policy/explain/explain.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <filesystem>

#include "base/check.h"
#include "base/strings.h"
#include "json/print.h"
#include "json/yaml.h"
#include "testkit/golden.h"

namespace proa::policy {
namespace {

void put(Cluster& cluster, std::string_view yaml) {
  const auto documents = json::parse_yaml_stream(yaml);
  CHECK(documents.ok());
  for (const json::Document& document : *documents) {
    const api::ObjectPtr object = api::Object::make(json::print(document.root()));
    const std::string_view kind = api::View(document.root())["kind"].text();
    if (kind == "Namespace") cluster.add_namespace(*object);
    if (kind == "Node") cluster.add_node(*object);
    if (kind == "Pod") cluster.add_pod(*object);
    if (kind == "NetworkPolicy") cluster.add_policy(*object);
    if (kind == "Service") cluster.add_service(*object);
    if (kind == "EndpointSlice") cluster.add_slice(*object);
  }
}

// "explain POD TARGET [json]", or objects.
std::string run(Cluster& cluster, std::string_view command) {
  if (!command.starts_with("explain ")) {
    put(cluster, command);
    return {};
  }
  const std::vector<std::string_view> words = split(command, ' ');
  const auto key = split_once(words.at(1), '/').value();
  const auto about = explain_connection(cluster, {std::string(key.before), std::string(key.after)},
                                        words.at(2), IPPROTO_TCP);
  if (!about.ok()) return about.status().message() + "\n";
  if (words.size() > 3) return json::print_pretty(show_json(*about).root()) + "\n";
  return show_text(*about);
}

TEST(ExplainConnection, SaysWhoDecides) {
  Cluster cluster;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/explain.txt",
                      [&](std::string_view command) { return run(cluster, command); });
}

}  // namespace
}  // namespace proa::policy
