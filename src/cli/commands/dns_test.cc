#include "cli/commands/dns.h"

#include <gtest/gtest.h>

#include <map>

#include "http/net/loop.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

class TestTerminal final : public Terminal {
 public:
  void out(std::string_view text) override { out_ += text; }
  void error(std::string_view text) override { out_ += text; }
  std::string out_;
};

std::string list_of(const std::string& kind, const std::string& version, const std::string& items) {
  return R"({"kind":")" + kind + R"(List","apiVersion":")" + version +
         R"(","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}";
}

// A server that has a cluster's objects as texts.
class DnsQueryTest : public ::testing::Test, private http::Handler {
 protected:
  DnsQueryTest() : server_(loops_, *this, {}) {
    pages_["/api/v1/namespaces"] = list_of("Namespace", "v1", R"({"metadata":{"name":"shop"}})");
    pages_["/api/v1/services"] = list_of(
        "Service", "v1",
        R"({"metadata":{"name":"web","namespace":"shop"},"spec":{"clusterIP":"10.96.0.5"}})");
    pages_["/apis/discovery.k8s.io/v1/endpointslices"] =
        list_of("EndpointSlice", "discovery.k8s.io/v1", "");
    pages_["/api/v1/nodes"] =
        list_of("Node", "v1",
                R"({"metadata":{"name":"down"}},{"metadata":{"name":"n1"},"status":{"conditions":[)"
                R"({"type":"Ready","status":"True"}]}})");
    pages_["/api/v1/namespaces/kube-system/services/kube-dns"] =
        R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"kube-dns","namespace":)"
        R"("kube-system","labels":{"service.kubernetes.io/service-proxy-name":"proa-dns"}},)"
        R"("spec":{"clusterIP":"10.96.0.10","clusterIPs":["10.96.0.10"]}})";
    pages_["/api/v1/nodes/n1/proxy/configz"] =
        R"({"kubeletconfig":{"clusterDomain":"corp.internal"}})";
    const auto at = server_.listen({.address = "127.0.0.1", .port = 0}, nullptr);
    kubeconfig_ = folder_.write(
        "kubeconfig",
        R"({"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c",)"
        R"("context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{"token":"t"}}],)"
        R"("clusters":[{"name":"c","cluster":{"server":"http://)" +
            at.value().str() + R"("}}]})");
  }

  void handle(http::ExchangePtr exchange) override {
    const std::string_view target = exchange->request().target;
    const auto found = pages_.find(std::string(target.substr(0, target.find('?'))));
    http::Response answer;
    answer.status = found == pages_.end() ? 404 : 200;
    answer.headers = {{"content-type", "application/json"}};
    answer.body =
        Bytes(found == pages_.end()
                  ? std::string(R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                                R"("reason":"NotFound","code":404})")
                  : found->second);
    exchange->respond(std::move(answer));
  }

  struct Outcome {
    std::string out;
    std::string error;
  };
  Outcome query(const std::string& name, const std::map<std::string, std::string>& flags = {}) {
    const Command command = dns_command().commands[0];
    Invocation invocation{.arguments = {name}, .settings = {}};
    for (const Flag& flag : command.flags) invocation.settings.set(flag.name, flag.fallback);
    invocation.settings.set("kubeconfig", kubeconfig_);
    invocation.settings.set("namespace", "shop");
    for (const auto& [flag, value] : flags) {
      invocation.settings.set(flag, value);
      invocation.settings.mark_given(flag);
    }
    if (const auto checked = command.check(invocation); !checked.ok()) {
      return {"", checked.status().message()};
    }
    TestTerminal terminal;
    const Result<bool> exists = command.ask(invocation, terminal);
    if (!exists.ok()) return {terminal.out_, exists.status().message()};
    return {terminal.out_, *exists ? "" : "no"};
  }
  void configure(const std::string& data) {
    pages_["/api/v1/namespaces/kube-system/configmaps/proa-dns"] =
        R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"proa-dns","namespace":)"
        R"("kube-system"},"data":{)" +
        data + "}}";
  }

  const testkit::TempDir folder_;
  std::map<std::string, std::string> pages_;  // changed between requests only
  http::LoopGroup loops_{1};
  http::Server server_;
  std::string kubeconfig_;
};

TEST_F(DnsQueryTest, HasTheDomainOfTheNodes) {
  const std::string answer =
      "web.shop.svc.corp.internal. A: answered\n"
      "  because Service shop/web has the cluster IP 10.96.0.5\n"
      "web.shop.svc.corp.internal. 30 A 10.96.0.5\n";
  EXPECT_EQ(query("web").out, answer);
  EXPECT_EQ(query("web").error, "");
  EXPECT_TRUE(query("web", {{"cluster-domain", "k8s.test"}}).out.starts_with("web.shop.svc.k8s."));
  pages_.erase("/api/v1/nodes/n1/proxy/configz");
  EXPECT_TRUE(
      query("web").out.starts_with("note: no node says what the cluster's domain is: "
                                   "assuming cluster.local"));
}

TEST_F(DnsQueryTest, ReadsTheConfiguration) {
  configure(R"("hosts":"192.0.2.7 printer.office","ttl":"7")");
  EXPECT_EQ(query("printer.office.").out,
            "printer.office. A: answered\n"
            "  because the hosts of ConfigMap kube-system/proa-dns have the name\n"
            "printer.office. 3600 A 192.0.2.7\n");
  EXPECT_NE(query("web").out.find(" 7 A 10.96.0.5"), std::string::npos);
  configure(R"("ttl":"soon")");
  EXPECT_TRUE(query("web").out.starts_with("note: the DNS configuration is not used: ttl: "))
      << query("web").out;
}

TEST_F(DnsQueryTest, SaysNoForNamesThatDoNotExist) {
  const Outcome outcome = query("wep.shop.svc.corp.internal");
  EXPECT_EQ(outcome.error, "no");
  EXPECT_NE(outcome.out.find("there is no Service wep in Namespace shop"), std::string::npos);
}

TEST_F(DnsQueryTest, IsReadableForPrograms) {
  const Outcome outcome = query("10.96.0.5", {{"output", "json"}});
  EXPECT_EQ(outcome.error, "");
  const auto document = json::parse(outcome.out);
  ASSERT_TRUE(document.ok()) << outcome.out;
  EXPECT_EQ(document->root().find("clusterDomain")->as_string(), "corp.internal");
  EXPECT_TRUE(document->root().find("exists")->as_bool());
  const json::Value& name = *document->root().find("names")->items().begin();
  EXPECT_EQ(name.find("outcome")->as_string(), "Answered");
  EXPECT_EQ(name.find("records")->items().begin()->as_string(),
            "5.0.96.10.in-addr.arpa. 30 PTR web.shop.svc.corp.internal.");
}

TEST_F(DnsQueryTest, RefusesTypesThatAreNone) {
  EXPECT_EQ(query("web", {{"type", "B"}}).error,
            "--type must be a record type such as A or SRV, not B");
  EXPECT_EQ(query("10.96.0.5", {{"type", "SRV"}}).error,
            "--type must be PTR for an address, not SRV");
  EXPECT_EQ(query("10.96.0.5", {{"type", "ptr"}}).error, "");
}

}  // namespace
}  // namespace proa::cli
