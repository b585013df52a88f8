#include "apiserver/bootstrap/policy_reconcile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "api/codec/json/decode.h"
#include "apiserver/access/authz/policy/default_policy.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

namespace fs = std::filesystem;
using api::View;
using testkit::TestCluster;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kResources[] = {"clusterroles", "clusterrolebindings", "roles",
                                           "rolebindings"};

class ReconcileTest : public testing::Test {
 protected:
  const api::Resource& resource(std::string_view name) const {
    return *cluster_.schema.find_resource(kGroup, "v1", name);
  }
  void run() {
    const Result<void> result = reconcile_policy(cluster_.context);
    ASSERT_TRUE(result.ok()) << result.status().message();
  }
  json::Document stored(std::string_view kind, std::string_view name_space,
                        std::string_view name) const {
    const auto entry = cluster_.store->get(key_of(resource(kind), name_space, name));
    EXPECT_TRUE(entry.ok() && *entry != nullptr) << kind << " " << name;
    return *object_of(*entry)->document();
  }
  void store(std::string_view kind, json::Document document) const {
    const View metadata = View(document.root())["metadata"];
    store::Put put{
        .key = key_of(resource(kind), metadata["namespace"].text(), metadata["name"].text())};
    StoredText text = *encode_for_store(std::move(document), *resource(kind).type);
    put.value = Bytes(std::move(text.json));
    put.stamp_at = text.stamp_at;
    store::Txn txn;
    txn.operations.push_back(std::move(put));
    ASSERT_TRUE(cluster_.store->commit(std::move(txn), store::Durability::kLazy).ok());
  }
  void remove(std::string_view kind, std::string_view name_space, std::string_view name) const {
    store::Txn txn;
    txn.operations.push_back(store::Delete{key_of(resource(kind), name_space, name)});
    ASSERT_TRUE(cluster_.store->commit(std::move(txn), store::Durability::kLazy).ok());
  }
  store::Revision revision() const { return cluster_.store->revision(); }

  TestCluster cluster_{ApiServerOptions{.advertise_address = "192.0.2.1"}};
};

std::string text(View view) { return view ? json::print(*view.value()) : "null"; }

// The roles and bindings that upstream does not have.
std::vector<PolicyObject> own_policy() {
  constexpr std::string_view kOwn =
#include "apiserver/access/authz/policy/own.policy"
      ;
  return parse_policy(kOwn).value();
}

std::optional<fs::path> facts_file() {
  std::error_code error;
  for (fs::path at = fs::absolute(__FILE__).parent_path(); at.has_relative_path();
       at = at.parent_path()) {
    const fs::path file = at / "shared/facts/rbac-defaults.jsonl";
    if (fs::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

TEST_F(ReconcileTest, StoresWhatUpstreamHas) {
  const auto file = facts_file();
  if (!file) GTEST_SKIP() << "no shared/facts/rbac-defaults.jsonl beside this repository";
  run();
  std::ifstream in(*file);
  std::map<std::string, size_t> counts;
  for (std::string line; std::getline(in, line);) {
    const json::Document facts = *json::parse(line);
    const View wanted = facts.root();
    SCOPED_TRACE(std::string(wanted["kind"].text()) + " " + std::string(wanted["name"].text()));
    const std::string kind = to_lower(wanted["kind"].text()) + "s";
    ++counts[kind];
    const json::Document document = stored(kind, wanted["namespace"].text(), wanted["name"].text());
    const View object = document.root();
    EXPECT_EQ(object["kind"], wanted["kind"]);
    EXPECT_EQ(object["metadata"]["labels"], wanted["labels"]);
    EXPECT_EQ(object["metadata"]["annotations"], wanted["annotations"]);
    for (const char* field : {"subjects", "roleRef", "aggregationRule"}) {
      EXPECT_TRUE(object[field] == wanted[field]) << text(object[field]);
    }
    if (!wanted["aggregationRule"]) {
      EXPECT_TRUE(object["rules"] == wanted["rules"]) << text(object["rules"]);
    }
  }
  for (const PolicyObject& object : own_policy()) ++counts[std::string(object.resource)];
  for (const std::string_view kind : kResources) {
    const std::string prefix = prefix_of(resource(kind), "");
    EXPECT_EQ(*cluster_.store->count(store::KeyRange::prefix(prefix), {}),
              counts[std::string(kind)])
        << kind;
  }
}

TEST_F(ReconcileTest, TakesOneCommitAndThenNone) {
  const store::Revision empty = revision();
  run();
  EXPECT_EQ(revision(), empty.next());
  run();
  EXPECT_EQ(revision(), empty.next());
}

TEST_F(ReconcileTest, MakesValidObjects) {
  run();
  for (const std::string_view kind : kResources) {
    const api::Resource& type = resource(kind);
    const kinds::KindRules& rules = kinds::find_rules(type.group_version(), type.type->name);
    const auto found =
        cluster_.store->range({.keys = store::KeyRange::prefix(prefix_of(type, ""))});
    for (const store::EntryPtr& entry : found->entries) {
      const auto decoded = api::decode_document(*object_of(entry)->document(), *type.type,
                                                api::FieldValidation::kStrict);
      ASSERT_TRUE(decoded.ok()) << entry->key();
      const View object = decoded->document.root();
      EXPECT_EQ(json::print(*object.value()), entry->value());
      EXPECT_FALSE(object["metadata"]["uid"].text().empty()) << entry->key();
      api::FieldErrors errors;
      rules.validate(object, errors);
      EXPECT_TRUE(errors.empty()) << entry->key();
    }
  }
}

// The rules of some roles, unique and sorted, as text.
std::vector<std::string> rules_of(const std::vector<json::Document>& roles) {
  std::vector<std::string> rules;
  std::set<std::string> seen;
  for (const json::Document& role : roles) {
    for (const View rule : View(role.root())["rules"].items()) {
      if (seen.insert(text(rule)).second) rules.push_back(text(rule));
    }
  }
  return rules;
}

TEST_F(ReconcileTest, GathersTheRulesOfAggregatedRolesAtOnce) {
  run();
  const auto role = [this](std::string_view name) { return stored("clusterroles", "", name); };
  const auto list = [](auto... documents) {
    std::vector<json::Document> all;
    (all.push_back(std::move(documents)), ...);
    return rules_of(all);
  };
  EXPECT_EQ(list(role("view")), list(role("system:aggregate-to-view")));
  EXPECT_EQ(list(role("edit")), list(role("system:aggregate-to-edit"), role("view")));
  EXPECT_EQ(list(role("admin")), list(role("edit"), role("system:aggregate-to-admin")));
  EXPECT_GT(list(role("admin")).size(), 25u);
}

TEST_F(ReconcileTest, GathersWhatOthersAdd) {
  run();
  store("clusterroles",
        *json::parse(R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1",)"
                     R"("metadata":{"name":"crontabs","labels":)"
                     R"({"rbac.authorization.k8s.io/aggregate-to-view":"true"}},)"
                     R"("rules":[{"verbs":["get"],"apiGroups":["x"],"resources":["crontabs"]}]})"));
  const store::Revision before = revision();
  run();
  EXPECT_EQ(revision(), before.next());
  for (const char* name : {"view", "edit", "admin"}) {
    EXPECT_NE(text(View(stored("clusterroles", "", name).root())["rules"]).find("crontabs"),
              std::string::npos)
        << name;
  }
  remove("clusterroles", "", "crontabs");
  run();
  EXPECT_EQ(text(View(stored("clusterroles", "", "admin").root())["rules"]).find("crontabs"),
            std::string::npos);
}

TEST_F(ReconcileTest, GathersForRolesThatOthersMade) {
  run();
  const std::string head = R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1",)";
  store("clusterroles", *json::parse(head + R"("metadata":{"name":"all-crontabs"},"rules":null,)"
                                            R"("aggregationRule":{"clusterRoleSelectors":)"
                                            R"([{"matchLabels":{"about":"crontabs"}}]}})"));
  for (const char* name : {"c2", "c1"}) {
    store("clusterroles",
          *json::parse(head + R"("metadata":{"name":")" + name +
                       R"(","labels":{"about":"crontabs"}},"rules":[{"verbs":["get"],)" +
                       R"("apiGroups":["x"],"resources":[")" + name + R"("]}]})"));
  }
  run();
  EXPECT_EQ(text(View(stored("clusterroles", "", "all-crontabs").root())["rules"]),
            R"([{"verbs":["get"],"apiGroups":["x"],"resources":["c1"]},)"
            R"({"verbs":["get"],"apiGroups":["x"],"resources":["c2"]}])");
}

// Writes to the store concurrently with others.
class Faster final : public WriteHook {
 public:
  explicit Faster(std::function<void()> write) : write_(std::move(write)) {}
  bool concerns(const api::Resource&) const override { return true; }
  Result<void> on_write(api::Edit, const Step&) override {
    if (const auto write = std::exchange(write_, nullptr)) write();
    return {};
  }
  Result<void> on_delete(View, const Step&) override { return {}; }

 private:
  std::function<void()> write_;
};

TEST_F(ReconcileTest, LosesNothingThatOthersWriteMeanwhile) {
  run();
  json::Document role = stored("clusterroles", "", "system:kube-dns");
  api::Edit(role).remove("rules");
  store("clusterroles", role.copy());
  Faster faster([&] {
    json::Document theirs = role.copy();
    api::Edit(theirs).object("metadata").object("labels").set("theirs", "yes");
    store("clusterroles", std::move(theirs));
  });
  WriteHook* const hooks[] = {&faster};
  ApiContext context = cluster_.context;
  context.hooks = hooks;
  ASSERT_TRUE(reconcile_policy(context).ok());
  const json::Document now = stored("clusterroles", "", "system:kube-dns");
  EXPECT_EQ(View(now.root())["metadata"]["labels"]["theirs"].text(), "yes");
  EXPECT_EQ(View(now.root())["rules"].size(), 4u);
}

TEST_F(ReconcileTest, PutsBackWhatIsMissing) {
  run();
  json::Document role = stored("clusterroles", "", "system:kube-dns");
  const std::string uid(View(role.root())["metadata"]["uid"].text());
  json::Document binding = stored("clusterrolebindings", "", "system:kube-dns");
  api::Edit(role).remove("rules");
  api::Edit(role).array("rules").push_object().array("verbs");
  api::Edit(role).object("metadata").remove("labels");
  api::Edit(binding).remove("subjects");
  store("clusterroles", std::move(role));
  store("clusterrolebindings", std::move(binding));
  remove("roles", "kube-system", "system:controller:token-cleaner");
  const store::Revision before = revision();
  run();
  EXPECT_EQ(revision(), before.next());
  const json::Document now = stored("clusterroles", "", "system:kube-dns");
  const View object = now.root();
  EXPECT_EQ(object["metadata"]["uid"].text(), uid);
  EXPECT_EQ(object["metadata"]["resourceVersion"].text(), std::to_string(revision().value));
  EXPECT_EQ(text(object["metadata"]["labels"]),
            R"({"kubernetes.io/bootstrapping":"rbac-defaults"})");
  EXPECT_EQ(text(object["rules"]),
            R"([{"verbs":null},{"verbs":["list"],"apiGroups":[""],"resources":["endpoints"]},)"
            R"({"verbs":["watch"],"apiGroups":[""],"resources":["endpoints"]},)"
            R"({"verbs":["list"],"apiGroups":[""],"resources":["services"]},)"
            R"({"verbs":["watch"],"apiGroups":[""],"resources":["services"]}])");
  EXPECT_EQ(View(stored("clusterrolebindings", "", "system:kube-dns").root())["subjects"].size(),
            1u);
  stored("roles", "kube-system", "system:controller:token-cleaner");
  run();
  EXPECT_EQ(revision(), before.next());
}

TEST_F(ReconcileTest, ReplacesABindingOfAnotherRole) {
  run();
  json::Document binding = stored("clusterrolebindings", "", "system:basic-user");
  const std::string uid(View(binding.root())["metadata"]["uid"].text());
  api::Edit(binding).object("roleRef").set("name", "cluster-admin");
  store("clusterrolebindings", std::move(binding));
  run();
  const json::Document now = stored("clusterrolebindings", "", "system:basic-user");
  EXPECT_EQ(View(now.root())["roleRef"]["name"].text(), "system:basic-user");
  EXPECT_NE(View(now.root())["metadata"]["uid"].text(), uid);
}

TEST_F(ReconcileTest, LeavesAloneWhatSaysSo) {
  run();
  json::Document role = stored("clusterroles", "", "system:kube-dns");
  api::Edit(role)
      .object("metadata")
      .object("annotations")
      .set("rbac.authorization.kubernetes.io/autoupdate", "false");
  api::Edit(role).remove("rules");
  store("clusterroles", std::move(role));
  const store::Revision before = revision();
  run();
  EXPECT_EQ(revision(), before);
}

TEST(DefaultPolicy, NamesEveryObjectOnce) {
  std::set<std::string> names;
  for (const PolicyObject& object : default_policy()) {
    const View metadata = View(object.document.root())["metadata"];
    EXPECT_TRUE(names
                    .insert(std::string(object.resource) + " " +
                            std::string(metadata["namespace"].text()) + "/" +
                            std::string(metadata["name"].text()))
                    .second)
        << metadata["name"].text();
  }
  EXPECT_EQ(names.size(), 133u + own_policy().size());  // upstream's, and our own
}

}  // namespace
}  // namespace proa::apiserver
