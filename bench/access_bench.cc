// What it costs to know who asks and to decide whether he may, in a cluster of many roles and
// bindings; and what a start does about the roles that every cluster has.

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <string>

#include "apiserver/access/authn/bearer_tokens.h"
#include "apiserver/access/authn/token_kinds/service_account.h"
#include "apiserver/access/authn/token_kinds/token_file.h"
#include "apiserver/access/authz/rbac/rbac.h"
#include "apiserver/bootstrap/policy_reconcile.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/reader.h"
#include "base/log.h"
#include "json/parse.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

constexpr int kRoles = 500;
constexpr int kRulesOfARole = 20;
constexpr int kBindings = 5000;
constexpr int kOfOneUser = 50;
constexpr int kNamespaces = 100;

class Cluster {
 public:
  // Many roles beside those that every cluster has, and who holds them.
  void fill() {
    for (int i = 0; i < kRoles; ++i) add_role(i);
    for (int i = 0; i < kBindings; ++i) add_binding(i);
    commit();
  }

  testkit::TestCluster& parts() { return cluster_; }

 private:
  static std::string metadata(const char* kind, const std::string& name) {
    return R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":")" + std::string(kind) +
           R"(","metadata":{"name":")" + name + "\"";
  }

  // Every role says something about pods, so that none can be passed over.
  void add_role(int number) {
    std::string json = metadata("ClusterRole", fmt::format("role-{}", number)) + R"(},"rules":[)";
    for (int i = 0; i < kRulesOfARole; ++i) {
      const std::string resource = i == 7 ? "pods" : fmt::format("kind{}-{}", number, i);
      json +=
          fmt::format(R"({}{{"verbs":["list","watch","update","patch"],"apiGroups":["","apps"],)"
                      R"("resources":["{}","{}/status"]}})",
                      i > 0 ? "," : "", resource, resource);
    }
    put("clusterroles", json + "]}");
  }

  // The last one of "jane" lets her get pods; half of hers are for the whole cluster.
  void add_binding(int number) {
    const bool hers = number < kOfOneUser;
    const bool everywhere = hers && number % 2 == 0;
    const std::string user = hers ? "jane" : fmt::format("user-{}", number);
    std::string json = metadata(everywhere ? "ClusterRoleBinding" : "RoleBinding",
                                fmt::format("binding-{:05}", number));
    if (!everywhere) {
      json += fmt::format(R"(,"namespace":"space-{}")", hers ? 0 : number % kNamespaces);
    }
    json += fmt::format(
        R"(}},"roleRef":{{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
        R"("name":"{}"}},)"
        R"("subjects":[{{"kind":"User","name":"{}"}}]}})",
        number == kOfOneUser - 1 ? "view" : fmt::format("role-{}", number % kRoles), user);
    put(everywhere ? "clusterrolebindings" : "rolebindings", json);
  }

  void put(std::string_view kind, const std::string& json) {
    const api::Resource& resource =
        *cluster_.schema.find_resource("rbac.authorization.k8s.io", "v1", kind);
    json::Document document = *json::parse(json);
    const api::View object = api::View(document.root())["metadata"];
    const std::string key = key_of(resource, object["namespace"].text(), object["name"].text());
    StoredText text = *encode_for_store(std::move(document), *resource.type);
    txn_.operations.push_back(store::Put{
        .key = key, .value = Bytes(std::move(text.json)), .ttl = {}, .stamp_at = text.stamp_at});
    if (txn_.operations.size() == 500) commit();
  }
  void commit() {
    CHECK(cluster_.store->commit(std::exchange(txn_, {}), store::Durability::kLazy).ok());
  }

  testkit::TestCluster cluster_{ApiServerOptions{.advertise_address = "192.0.2.1"}};
  store::Txn txn_;
};

using Clock = std::chrono::steady_clock;

double milliseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The best of several rounds, so that a neighbour's burst does not count.
double nanoseconds(const std::function<void()>& work) {
  double best = 1e12;
  for (int round = 0; round < 7; ++round) {
    constexpr int kRepeats = 20000;
    const double took = milliseconds([&] {
      for (int i = 0; i < kRepeats; ++i) work();
    });
    best = std::min(best, took * 1e6 / kRepeats);
  }
  return best;
}

void ask(RbacAuthorizer& rbac, const char* name, const Attributes& asked) {
  const Verdict verdict = rbac.authorize(asked);
  const double took =
      nanoseconds([&] { CHECK(rbac.authorize(asked).allowed() == verdict.allowed()); });
  fmt::print("{:<52}{:>10.0f} ns  {}\n", name, took, verdict.allowed() ? "yes" : "no");
}

// Callers with tokens: "jane" of a file, and a service account, whose token is checked live.
class Callers {
 public:
  explicit Callers(testkit::TestCluster& parts) {
    ServiceAccountTokens::Options options;
    options.keys = {make_token_key().private_key};
    issued_ = ServiceAccountTokens::make(options).value();
    std::vector<std::unique_ptr<TokenAuthenticator>> kinds;
    kinds.push_back(std::make_unique<ServiceAccountAuthenticator>(*issued_, *parts.store,
                                                                  parts.schema, parts.clock));
    kinds.push_back(TokenFile::parse("hers,jane,1\n").value());
    tokens_ = std::make_unique<BearerTokens>(std::move(kinds), issued_->audiences(), parts.random,
                                             parts.clock);
    const std::string json = R"({"metadata":{"name":"robot"}})";
    CHECK(parts.create(parts.request("", "serviceaccounts", ""), json).ok());
    ServiceAccountClaims claims;
    claims.name_space = "default";
    claims.service_account = {"robot", std::string(uid_of_robot(parts))};
    claims.audiences = {issued_->issuer()};
    claims.id = "1";
    claims.issued = parts.clock.now();
    claims.expires = parts.clock.now() + std::chrono::hours(1);
    robot_.set("authorization", "Bearer " + issued_->issue(claims).value());
    jane_.set("authorization", "Bearer hers");
  }

  const http::Headers& jane() const { return jane_; }
  const http::Headers& robot() const { return robot_; }
  UserPtr know(const http::Headers& headers) {
    return tokens_->authenticate({.peer = peer_, .headers = headers, .path = "/api"}).value();
  }

 private:
  static std::string_view uid_of_robot(testkit::TestCluster& parts) {
    const ObjectReader reader(*parts.store, parts.schema);
    return reader.find("", "serviceaccounts", "default", "robot").value()->metadata().uid;
  }

  const http::Peer peer_;
  std::unique_ptr<const ServiceAccountTokens> issued_;
  std::unique_ptr<BearerTokens> tokens_;
  http::Headers jane_;
  http::Headers robot_;
};

// The goal is for both together: at most 15 microseconds.
void know_and_ask(testkit::TestCluster& parts, RbacAuthorizer& rbac, Attributes asked) {
  CHECK(parts.start().ok());
  Callers callers(parts);
  CHECK(callers.know(callers.robot()) != nullptr);
  fmt::print("{:<52}{:>10.0f} ns\n", "a service account's token, seen before",
             nanoseconds([&] { CHECK(callers.know(callers.robot()) != nullptr); }));
  const double both = nanoseconds([&] {
    const UserPtr user = callers.know(callers.jane());
    asked.user = user.get();
    CHECK(rbac.authorize(asked).allowed());
  });
  fmt::print("{:<52}{:>10.0f} ns  goal at most 15000: {}\n",
             "token and get by the last of 50 bindings, together", both,
             both <= 15000 ? "reached" : "MISSED");
}

void reconcile(const char* name, testkit::TestCluster& parts, int times) {
  double best = 1e12;
  for (int i = 0; i < times; ++i) {
    best = std::min(best, milliseconds([&] { CHECK(reconcile_policy(parts.context).ok()); }));
  }
  fmt::print("{:<52}{:>10.2f} ms\n", name, best);
}

void run() {
  CHECK(set_log_levels("warn").ok());
  Cluster cluster;
  testkit::TestCluster& parts = cluster.parts();
  reconcile("default roles into an empty store", parts, 1);
  reconcile("default roles, nothing to do", parts, 20);
  cluster.fill();
  reconcile("default roles, nothing to do, among many others", parts, 20);

  RbacIndex index(*parts.store, parts.schema);
  RbacAuthorizer rbac(index);
  fmt::print("{:<52}{:>10.2f} ms\n",
             fmt::format("index of {} roles, {} bindings", kRoles, kBindings),
             milliseconds([&index] { index.read([](const AccessTable&) { return 0; }); }));
  const User jane{.name = "jane", .uid = {}, .groups = {"system:authenticated"}, .extra = {}};
  const User account{.name = "system:serviceaccount:kube-system:deployment-controller",
                     .uid = {},
                     .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                                "system:authenticated"},
                     .extra = {}};
  Attributes asked{
      .user = &jane, .verb = "get", .resource = "pods", .name_space = "space-0", .name = "web-1"};
  ask(rbac, "get, by the last of 50 bindings", asked);
  know_and_ask(parts, rbac, asked);
  asked.verb = "delete";
  ask(rbac, "refused, by 50 bindings", asked);
  asked.verb = "get";
  asked.subresource = "log";
  ask(rbac, "get of a subresource, by the last of 50 bindings", asked);
  asked = {.user = &account,
           .verb = "update",
           .group = "apps",
           .resource = "deployments",
           .subresource = "status",
           .name_space = "space-0",
           .name = "web"};
  ask(rbac, "a controller updates a status", asked);
  asked = {.user = &account, .verb = "get", .is_resource = false, .path = "/apis/apps/v1"};
  ask(rbac, "a path", asked);
}

}  // namespace
}  // namespace proa::apiserver

int main() { proa::apiserver::run(); }
