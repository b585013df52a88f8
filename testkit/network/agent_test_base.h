#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "json/parse.h"
#include "network/agent.h"
#include "network/cni/cni_folder.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/network/machines.h"
#include "testkit/patience.h"
#include "testkit/process.h"

namespace proa::network {

// Agents of several machines beside one API server.
class NetworkAgentTest : public testkit::NamespaceTest {
 protected:
  struct Node {
    std::string cni;
    std::atomic<int> changed = 0;
    std::atomic<int> news = 0;
    Result<void> claim;
    std::unique_ptr<NetworkAgent> agent;
  };

  void TearDown() override {
    for (const auto& [number, node] : nodes_) node->agent->stop();
  }

  client::Place place(const std::string& name, std::string subresource = {}) const {
    return {.resource = apiserver::find_resource("", "nodes"),
            .name_space = "",
            .name = name,
            .subresource = std::move(subresource)};
  }

  static std::string ranges_of(size_t number) {
    return fmt::format(R"("podCIDR":"10.244.{0}.0/24","podCIDRs":["10.244.{0}.0/24",)"
                       R"("fd01:0:0:{0}::/64"])",
                       number);
  }

  void create_node(const testkit::Machines& machines, size_t number, const std::string& ranges) {
    const testkit::Machines::Machine& machine = machines.at(number);
    const std::string name = fmt::format("n{}", number);
    const auto made = api_.client().create(
        place(name),
        json::parse_literal(fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{{}}},"status":{{"addresses":[)"
            R"({{"type":"InternalIP","address":"{}"}},{{"type":"InternalIP","address":"{}"}},)"
            R"({{"type":"Hostname","address":"x"}}]}}}})",
            name, ranges, machine.address, machine.address6)),
        {}, {});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }

  void patch(const std::string& name, const std::string& text, std::string subresource = {}) {
    const auto patched =
        api_.client().patch(place(name, std::move(subresource)), api::PatchType::kMerge,
                            json::parse_literal(text), {}, {});
    ASSERT_TRUE(patched.ok()) << patched.status().message();
  }

  Node& start(const testkit::Machines& machines, size_t number, NetworkOptions options = {}) {
    auto& node = nodes_[number];
    node = std::make_unique<Node>();
    node->cni = folder_.file(fmt::format("cni{}", number));
    EXPECT_TRUE(files_.make_dirs(node->cni, 0700).ok());
    node->agent = std::make_unique<NetworkAgent>(
        NetworkAgent::Context{.client = api_.client(),
                              .schema = api::builtin_schema(),
                              .clock = clock_,
                              .random = random_,
                              .files = files_,
                              .node = api::NodeName(fmt::format("n{}", number)),
                              .options = std::move(options),
                              .cni_folder = node->cni,
                              .cni_state = "/run/none",
                              .cni_plugins = plugins_,
                              .claim = [&claim = node->claim](const auto&) { return claim; },
                              .changed = [&changed = node->changed] { ++changed; },
                              .news = [&news = node->news] { ++news; }});
    inside(*machines.at(number).place, [&] {
      const auto started = node->agent->start();
      ASSERT_TRUE(started.ok()) << started.status().message();
    });
    return *node;
  }

  bool becomes_ready(const Node& node) {
    return testkit::holds_within(std::chrono::seconds(20),
                                 [&] { return node.agent->state().ok(); });
  }

  std::string config_of(const Node& node) {
    const auto text = files_.read_file(node.cni + "/" + std::string(kOwnConfig), 1 << 16);
    return text.ok() ? *text : std::string();
  }

  static bool connected(const testkit::Machines::Machine& from,
                        const testkit::Machines::Machine& to) {
    return seen_source(*from.pod, *to.pod, to.pod_address) == from.pod_address &&
           seen_source(*from.pod, *to.pod, to.pod_address6) == from.pod_address6;
  }

  testkit::TempDir folder_;
  std::string plugins_;
  SystemFiles files_;
  SystemRandom random_;
  apiserver::LocalTestClient api_;
  std::map<size_t, std::unique_ptr<Node>> nodes_;
};

}  // namespace proa::network
