#include "policy/explain/explain.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <filesystem>

#include "base/check.h"
#include "base/strings.h"
#include "json/print.h"
#include "json/yaml.h"
#include "policy/explain/target.h"
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
    if (kind == "ServiceCIDR") cluster.add_service_range(*object);
  }
}

// "explain POD TARGET [json|UDP]", or objects.
std::string run(Cluster& cluster, std::string_view command) {
  if (!command.starts_with("explain ")) {
    put(cluster, command);
    return {};
  }
  const std::vector<std::string_view> words = split(command, ' ');
  const std::string_view option = words.size() > 3 ? words[3] : "";
  const auto about = explain_connection(cluster, read_pod_name(words.at(1), "shop"), words.at(2),
                                        option == "UDP" ? IPPROTO_UDP : IPPROTO_TCP);
  if (!about.ok()) return about.status().message() + "\n";
  if (option == "json") return json::print_pretty(show_json(*about).root()) + "\n";
  return show_text(*about);
}

TEST(ExplainConnection, SaysWhoDecides) {
  Cluster cluster;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/explain.txt",
                      [&](std::string_view command) { return run(cluster, command); });
}

TEST(ExplainConnection, TakesWhatUsersType) {
  Cluster cluster;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/targets.txt",
                      [&](std::string_view command) { return run(cluster, command); });
}

}  // namespace
}  // namespace proa::policy
