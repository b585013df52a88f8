// Thousands of requests over the default policy and random ones: the results match a linear scan of
// all stored roles and bindings.

#include <gtest/gtest.h>

#include <random>

#include "apiserver/access/authz/rbac/rbac.h"
#include "apiserver/bootstrap/policy_reconcile.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"
#include "json/parse.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

using api::View;
using Texts = std::vector<std::string>;

struct Question {
  User user;
  std::string verb, group, resource, subresource, name_space, name, path;
};

bool has(View list, std::string_view text) {
  for (const View item : list.items()) {
    if (item.text() == text) return true;
  }
  return false;
}

// The linear scan.
class Walk {
 public:
  Walk(const store::Store& store, const api::Schema& schema) {
    for (const char* kind : {"clusterroles", "roles", "clusterrolebindings", "rolebindings"}) {
      const api::Resource& resource =
          *schema.find_resource("rbac.authorization.k8s.io", "v1", kind);
      const auto range = store.range({.keys = store::KeyRange::prefix(prefix_of(resource, ""))});
      for (const store::EntryPtr& entry : range->entries) {
        objects_.push_back(*object_of(entry)->document());
      }
    }
  }

  bool allows(const Question& question) const {
    for (const json::Document& document : objects_) {
      const View binding = document.root();
      if (!binding["roleRef"]) continue;
      const std::string_view place = binding["metadata"]["namespace"].text();
      if (!place.empty() && place != question.name_space) continue;
      if (!names(binding, question.user, place)) continue;
      for (const View rule : rules(binding["roleRef"], place).items()) {
        if (rule_allows(rule, question)) return true;
      }
    }
    return false;
  }

 private:
  static bool names(View binding, const User& user, std::string_view place) {
    for (const View subject : binding["subjects"].items()) {
      const std::string_view kind = subject["kind"].text();
      const std::string name(subject["name"].text());
      if (kind == "User" && name == user.name) return true;
      if (kind == "Group" && user.in_group(name)) return true;
      if (kind != "ServiceAccount") continue;
      std::string_view of = subject["namespace"].text();
      if (of.empty()) of = place;
      if (of.empty()) continue;
      if (user.name == "system:serviceaccount:" + std::string(of) + ":" + name) return true;
    }
    return false;
  }

  View rules(View reference, std::string_view place) const {
    for (const json::Document& document : objects_) {
      const View role = document.root();
      if (role["kind"].text() != reference["kind"].text()) continue;
      if (role["metadata"]["name"].text() != reference["name"].text()) continue;
      if (role["kind"].text() == "Role" && role["metadata"]["namespace"].text() != place) continue;
      return role["rules"];
    }
    return {};
  }

  static bool rule_allows(View rule, const Question& question) {
    if (!has(rule["verbs"], "*") && !has(rule["verbs"], question.verb)) return false;
    if (!question.path.empty()) {
      for (const View item : rule["nonResourceURLs"].items()) {
        std::string said(item.text());
        if (said == question.path) return true;
        if (said.empty() || said.back() != '*') continue;
        while (!said.empty() && said.back() == '*') said.pop_back();
        if (question.path.compare(0, said.size(), said) == 0) return true;
      }
      return false;
    }
    if (!has(rule["apiGroups"], "*") && !has(rule["apiGroups"], question.group)) return false;
    const std::string whole = question.subresource.empty()
                                  ? question.resource
                                  : question.resource + "/" + question.subresource;
    const bool about =
        has(rule["resources"], "*") || has(rule["resources"], whole) ||
        (!question.subresource.empty() && has(rule["resources"], "*/" + question.subresource));
    return about && (rule["resourceNames"].empty() || has(rule["resourceNames"], question.name));
  }

  std::vector<json::Document> objects_;
};

// A small vocabulary of roles and requests, so that they often match.
class Chance {
 public:
  explicit Chance(uint32_t seed) : engine_(seed) {}

  size_t number(size_t below) {
    return std::uniform_int_distribution<size_t>(0, below - 1)(engine_);
  }
  bool once_in(size_t times) { return number(times) == 0; }
  const std::string& one(const Texts& texts) { return texts[number(texts.size())]; }
  std::string list(const Texts& texts, size_t most, const char* any) {
    std::string json = "[";
    const size_t count = 1 + number(most);
    for (size_t i = 0; i < count; ++i) {
      json += (i > 0 ? ",\"" : "\"") + (once_in(12) ? std::string(any) : one(texts)) + "\"";
    }
    return json + "]";
  }

 private:
  std::mt19937 engine_;
};

const Texts kVerbs = {"get",  "list", "watch",  "create",           "update", "patch",
                      "bind", "frob", "delete", "deletecollection", "GET"};
const Texts kGroups = {"", "apps", "batch", "rbac.authorization.k8s.io"};
const Texts kPlain = {"pods", "nodes", "secrets", "deployments", "jobs", "events"};
const Texts kResources = {"pods",     "pods/log", "nodes",       "nodes/status",      "secrets",
                          "*/status", "*/scale",  "deployments", "deployments/scale", "pods/*"};
const Texts kParts = {"log", "status", "scale", "*"};
const Texts kNames = {"a", "b", "c"};
const Texts kSpaces = {"default", "kube-system", "x"};
const Texts kPaths = {"/healthz", "/healthz/etcd", "/metrics", "/version/", "/apis/apps"};
const Texts kPathRules = {"/healthz", "/healthz/*", "/metrics*", "/version", "/apis/*", "/**"};
const Texts kUsers = {"jane",
                      "joe",
                      "system:kube-scheduler",
                      "system:kube-controller-manager",
                      "system:serviceaccount:default:bot",
                      "system:serviceaccount:x:bot",
                      "system:serviceaccount:kube-system:deployment-controller"};
const Texts kUserGroups = {"devs", "ops", "system:authenticated", "system:monitoring",
                           "system:unauthenticated"};

std::string object(std::string_view kind, std::string_view name_space, const std::string& name,
                   const std::string& rest) {
  return R"({"kind":")" + std::string(kind) +
         R"(","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":")" + name +
         (name_space.empty() ? "\"" : "\",\"namespace\":\"" + std::string(name_space) + "\"") +
         "}," + rest + "}";
}

std::string random_role(Chance& chance, std::string_view name_space, const std::string& name) {
  std::string rules;
  for (size_t i = chance.number(6); i > 0; --i) {
    if (!rules.empty()) rules += ",";
    rules += R"({"verbs":)" + chance.list(kVerbs, 6, "*");
    if (name_space.empty() && chance.once_in(4)) {
      rules += R"(,"nonResourceURLs":)" + chance.list(kPathRules, 2, "*") + "}";
      continue;
    }
    rules += R"(,"apiGroups":)" + chance.list(kGroups, 2, "*") + R"(,"resources":)" +
             chance.list(kResources, 3, "*");
    if (chance.once_in(3)) rules += R"(,"resourceNames":)" + chance.list(kNames, 2, "d");
    rules += "}";
  }
  return object(name_space.empty() ? "ClusterRole" : "Role", name_space, name,
                R"("rules":[)" + rules + "]");
}

std::string random_binding(Chance& chance, std::string_view name_space, const std::string& name) {
  const bool local = !name_space.empty() && chance.once_in(2);
  std::string subjects;
  for (size_t i = 1 + chance.number(3); i > 0; --i) {
    if (!subjects.empty()) subjects += ",";
    const size_t kind = chance.number(3);
    if (kind == 0) subjects += R"({"kind":"User","name":")" + chance.one(kUsers) + "\"}";
    if (kind == 1) subjects += R"({"kind":"Group","name":")" + chance.one(kUserGroups) + "\"}";
    if (kind != 2) continue;
    subjects += R"({"kind":"ServiceAccount","name":"bot")";
    if (!chance.once_in(3)) subjects += R"(,"namespace":")" + chance.one(kSpaces) + "\"";
    subjects += "}";
  }
  // Some bindings reference a missing role.
  return object(name_space.empty() ? "ClusterRoleBinding" : "RoleBinding", name_space, name,
                R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" +
                    std::string(local ? "Role" : "ClusterRole") + R"(","name":"r)" +
                    std::to_string(chance.number(14)) + R"("},"subjects":[)" + subjects + "]");
}

Question random_question(Chance& chance) {
  Question question;
  question.user.name = chance.one(kUsers);
  for (const std::string& group : kUserGroups) {
    if (chance.once_in(3)) question.user.groups.push_back(group);
  }
  question.verb = chance.one(kVerbs);
  if (chance.once_in(8)) {
    question.path = chance.one(kPaths);
    return question;
  }
  question.group = chance.one(kGroups);
  question.resource = chance.one(kPlain);
  if (chance.once_in(3)) question.subresource = chance.one(kParts);
  if (!chance.once_in(4)) question.name_space = chance.one(kSpaces);
  if (!chance.once_in(3)) question.name = chance.one(kNames);
  return question;
}

void put(store::Store& store, const api::Schema& schema, std::string_view kind,
         const std::string& json) {
  const api::Resource& resource = *schema.find_resource("rbac.authorization.k8s.io", "v1", kind);
  json::Document document = *json::parse(json);
  const View metadata = View(document.root())["metadata"];
  const std::string key = key_of(resource, metadata["namespace"].text(), metadata["name"].text());
  store::Txn txn;
  txn.operations.push_back(store::Put{
      .key = key, .value = Bytes(encode_for_store(std::move(document), *resource.type)->at("1"))});
  ASSERT_TRUE(store.commit(std::move(txn), store::Durability::kLazy).ok());
}

TEST(DefaultAccess, IsWhatAPlainWalkFinds) {
  testkit::TestCluster cluster(ApiServerOptions{.advertise_address = "192.0.2.1"});
  ASSERT_TRUE(reconcile_policy(cluster.context).ok());
  RbacIndex index(*cluster.store, cluster.schema);
  RbacAuthorizer rbac(index);
  Chance chance(4);
  size_t allowed = 0;
  size_t asked = 0;
  for (int round = 0; round < 10; ++round) {
    // Roles and bindings change while the index is in use.
    for (int i = 0; i < 12; ++i) {
      const std::string number = std::to_string(chance.number(12));
      const std::string& place = chance.one(kSpaces);
      put(*cluster.store, cluster.schema, "clusterroles", random_role(chance, "", "r" + number));
      put(*cluster.store, cluster.schema, "roles", random_role(chance, place, "r" + number));
      put(*cluster.store, cluster.schema, "rolebindings",
          random_binding(chance, place, "b" + number));
      if (i % 2 == 0) {
        put(*cluster.store, cluster.schema, "clusterrolebindings",
            random_binding(chance, "", "b" + number));
      }
    }
    const Walk walk(*cluster.store, cluster.schema);
    for (int i = 0; i < 300; ++i, ++asked) {
      const Question question = random_question(chance);
      const Attributes attributes{.user = &question.user,
                                  .verb = question.verb,
                                  .is_resource = question.path.empty(),
                                  .group = question.group,
                                  .version = "v1",
                                  .resource = question.resource,
                                  .subresource = question.subresource,
                                  .name_space = question.name_space,
                                  .name = question.name,
                                  .path = question.path};
      const Verdict verdict = rbac.authorize(attributes);
      ASSERT_EQ(verdict.allowed(), walk.allows(question))
          << question.user.name << " [" << join(question.user.groups, " ") << "] " << question.verb
          << " " << question.group << " " << question.resource << "/" << question.subresource << " "
          << question.name_space << "/" << question.name << question.path << ": " << verdict.reason;
      allowed += verdict.allowed() ? 1 : 0;
    }
  }
  // Both results occurred often.
  EXPECT_EQ(asked, 3000u);
  EXPECT_GT(allowed, 500u);
  EXPECT_LT(allowed, 2500u);
}

}  // namespace
}  // namespace proa::apiserver
