#include "network/announce/port_reporter.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/files.h"
#include "json/parse.h"
#include "kinds/core/services/balancer_node.h"
#include "netlink/sockets/listeners.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/patience.h"

namespace proa::network {
namespace {

class PortReporterTest : public testkit::NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    create("nodes", "",
           R"({"metadata":{"name":"n"},"status":{"addresses":[)"
           R"({"type":"InternalIP","address":"192.0.2.1"}]}})");
    create("namespaces", "", R"({"metadata":{"name":"default"}})");
    reporter_ =
        std::make_unique<PortReporter>(PortReporter::Context{.client = api_.client(),
                                                             .schema = api::builtin_schema(),
                                                             .clock = clock_,
                                                             .random = random_,
                                                             .pool = pool_,
                                                             .node = api::NodeName("n")});
  }

  static client::Place place(std::string_view resource, std::string name_space, std::string name) {
    return {.resource = apiserver::find_resource("", resource),
            .name_space = std::move(name_space),
            .name = std::move(name),
            .subresource = {}};
  }
  void create(std::string_view resource, const std::string& name_space, const std::string& text) {
    const auto made = api_.client().create(place(resource, name_space, ""),
                                           json::parse_literal(text), {}, soon());
    EXPECT_TRUE(made.ok() || made.is(Reason::kAlreadyExists)) << made.status().message();
  }
  void add_service(const std::string& name, int port) {
    create("services", "default",
           fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"type":"LoadBalancer",)"
                       R"("ports":[{{"port":{}}}]}}}})",
                       name, port));
  }
  void remove_service(const std::string& name) {
    const auto removed = api_.client().remove(place("services", "default", name), {}, soon());
    EXPECT_TRUE(removed.ok()) << removed.status().message();
  }
  FileDescriptor listen_at(uint16_t port) const {
    FileDescriptor made;
    inside([&] {
      made = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in any{};
      any.sin_family = AF_INET;
      any.sin_port = htons(port);
      EXPECT_EQ(::bind(made.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
      EXPECT_EQ(::listen(made.get(), 1), 0);
    });
    return made;
  }
  std::string reported() {
    const api::ObjectPtr node = api_.client().get(place("nodes", "", "n"), soon()).value();
    return std::string(
        api::decode<kinds::BalancerNode>(*node).value().metadata.annotations.used_ports);
  }
  void expect_reported(const std::string& ports) {
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
      return reported() == ports;
    })) << reported();
  }

  SystemRandom random_;
  apiserver::RemoteTestClient api_;
  WorkerPool pool_;
  std::unique_ptr<PortReporter> reporter_;
};

TEST_F(PortReporterTest, SaysWhichWantedPortsProgramsHave) {
  const FileDescriptor shell_server = listen_at(22);
  const FileDescriptor nobody_wants = listen_at(9100);
  inside([&] {
    if (netlink::find_listeners(clock_).is(Reason::kNotFound))
      GTEST_SKIP() << "this kernel does not tell";
    reporter_->start();
  });
  if (IsSkipped()) return;
  add_service("web", 80);
  add_service("git", 22);
  expect_reported("22/TCP");
  // The Service was first.
  const FileDescriptor late = listen_at(80);
  const FileDescriptor other = listen_at(443);
  add_service("secure", 443);
  expect_reported("22/TCP,443/TCP");
  remove_service("git");
  expect_reported("443/TCP");
  remove_service("secure");
  expect_reported("");
}

}  // namespace
}  // namespace proa::network
