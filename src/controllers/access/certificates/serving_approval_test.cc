#include "controllers/access/certificates/serving_approval.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "client/certificates/test_request.h"
#include "controllers/controllers.h"
#include "json/parse.h"
#include "testkit/controllers/test_world.h"
#include "testkit/crypto/test_request.h"

namespace proa::controllers {
namespace {

// A kubelet's request through the API, and its Nodes.
class ServingApprovalTest : public testing::Test {
 protected:
  ServingApprovalTest() : world_(options()) {}

  static testkit::TestWorld::Options options() {
    testkit::TestWorld::Options wanted;
    for (const ControllerEntry& entry : all_controllers()) {
      if (entry.is_named("csrapproving") || entry.is_named("csrsigning"))
        wanted.entries.push_back(entry);
    }
    wanted.flags.server_names = {"kubernetes", "192.0.2.1"};
    return wanted;
  }

  void put_node(const std::string& name, const std::string& address) {
    world_.create("", "nodes", "", R"({"metadata":{"name":")" + name + R"("}})");
    set_address(name, address);
  }
  void set_address(const std::string& name, const std::string& address) {
    world_.patch("", "nodes", "", name,
                 R"({"status":{"addresses":[{"type":"Hostname","address":")" + name +
                     R"("},{"type":"InternalIP","address":")" + address + R"("}]}})",
                 "status");
  }
  // As the kubelet of that node.
  void ask(const std::string& name, const std::string& names) {
    const std::string subject = "system:node:" + name;
    const std::string pem =
        crypto::TestRequest{.subject = {{"O", "system:nodes"}, {"CN", subject}}, .names = names}
            .pem();
    const auto client = world_.client_as({.name = "system:node:" + name,
                                          .uid = {},
                                          .groups = {"system:nodes", "system:authenticated"},
                                          .extra = {}});
    const auto made = client->create(
        world_.place("certificates.k8s.io", "certificatesigningrequests", "", ""),
        json::parse_literal(
            R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",)"
            R"("metadata":{"name":"one"},"spec":{"request":")" +
            to_base64(pem) +
            R"(","signerName":"kubernetes.io/kubelet-serving","usages":["digital signature",)"
            R"("server auth"]}})"),
        {}, {});
    ASSERT_TRUE(made.ok()) << made.status().message();
    world_.settle();
  }
  bool is_signed() {
    const auto document =
        world_.get("certificates.k8s.io", "certificatesigningrequests", "", "one")->document();
    return api::View(document->root())["status"]["certificate"].exists();
  }
  std::string events() {
    std::string text;
    for (const api::ObjectPtr& object : world_.list("", "events", "default")) {
      const auto document = object->document();
      const api::View event = document->root();
      text += fmt::format("{}/{} {} {}: {}\n", event["involvedObject"]["kind"].text(),
                          event["involvedObject"]["name"].text(), event["type"].text(),
                          event["reason"].text(), event["message"].text());
    }
    return text;
  }

  testkit::TestWorld world_;
};

TEST_F(ServingApprovalTest, ApprovesWhatBelongsToTheNode) {
  put_node("n1", "10.0.0.1");
  ask("n1", "DNS:n1,IP:10.0.0.1");
  EXPECT_TRUE(is_signed());
}

// Which is not told as a refusal: every node begins so.
TEST_F(ServingApprovalTest, WaitsForTheAddressesOfTheNode) {
  ask("n1", "DNS:n1,IP:10.0.0.1");
  EXPECT_FALSE(is_signed());
  world_.create("", "nodes", "", R"({"metadata":{"name":"n1"}})");
  world_.settle();
  EXPECT_FALSE(is_signed());
  set_address("n1", "10.0.0.1");
  world_.settle();
  EXPECT_TRUE(is_signed());
  EXPECT_EQ(events(), "");
}

TEST_F(ServingApprovalTest, TellsARefusalUntilTheAddressesAreRight) {
  put_node("n1", "10.0.0.2");
  ask("n1", "DNS:n1,IP:10.0.0.1");
  EXPECT_FALSE(is_signed());
  EXPECT_EQ(events(),
            "CertificateSigningRequest/one Warning NotApproved: kubelet serving certificate not "
            "approved: 10.0.0.1 is not an address of the Node\n");
  set_address("n1", "10.0.0.1");
  world_.settle();
  EXPECT_TRUE(is_signed());
}

TEST_F(ServingApprovalTest, RefusesWhatBelongsToOthers) {
  const struct {
    const char* name;
    const char* node;
    const char* address;  // that the Node claims
    const char* names;    // that the kubelet asks for
  } cases[] = {
      {"another node's", "n1", "10.0.0.1", "IP:10.0.0.2"},
      {"one name too many", "n1", "10.0.0.1", "DNS:n1,DNS:n2,IP:10.0.0.1"},
      {"an address of two nodes", "n1", "10.0.0.9", "IP:10.0.0.9"},
      {"the API server's address", "n1", "192.0.2.1", "IP:192.0.2.1"},
      {"the API server's name", "kubernetes", "10.0.0.1", "DNS:kubernetes"},
      {"a Service's name", "a.b.svc", "10.0.0.1", "DNS:a.b.svc"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    put_node(c.node, c.address);
    put_node("other", "10.0.0.9");
    ask(c.node, c.names);
    EXPECT_FALSE(is_signed());
    world_.remove("certificates.k8s.io", "certificatesigningrequests", "", "one");
    world_.remove("", "nodes", "", c.node);
    world_.remove("", "nodes", "", "other");
    world_.settle();
  }
}

// Admission refuses such a request already; this does not depend on it.
TEST(ServingApprovalOf, RefusesARequestForAnotherNode) {
  client::TestRequestObject object{
      .signer = "kubernetes.io/kubelet-serving",
      .usages = {"digital signature", "server auth"},
      .pem = crypto::TestRequest{.subject = {{"O", "system:nodes"}, {"CN", "system:node:n2"}},
                                 .names = "DNS:n1"}
                 .pem(),
      .username = "system:node:n1"};
  const json::Document node =
      json::parse_literal(R"({"status":{"addresses":[{"type":"Hostname","address":"n1"}]}})");
  const auto nobody = [](const std::string&) { return false; };
  const json::Document request = object.document();
  EXPECT_TRUE(serving_approval_of(request.root(), node.root(), nobody).is(Reason::kForbidden));
}

TEST_F(ServingApprovalTest, AreNotTriedAgainWhileNothingChanges) {
  put_node("n1", "10.0.0.1");
  ask("n1", "IP:10.0.0.2");
  EXPECT_EQ(world_.settle(), 0u);
  world_.wait(std::chrono::minutes(30));
  EXPECT_EQ(world_.settle(), 0u);
  // A change of the Node that leaves its addresses alone.
  world_.patch("", "nodes", "", "n1", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(world_.settle(), 0u);
}

}  // namespace
}  // namespace proa::controllers
