#include "apiserver/access/admission/cluster/escalation.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_roles.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kPolicy = R"(
clusterrole everything
  * on * of *
  * at *
  bound to user:admin
clusterrole pods
  read on pods
clusterrole secrets
  get on secrets
role x/secrets
  get on secrets
clusterrole jane
  read write on pods
  get on configmaps named one two
  bound to user:jane
role x/jane
  read on services
  bound to user:jane
clusterrole may-escalate
  escalate on clusterroles roles of rbac.authorization.k8s.io named special
  bound to user:esther
clusterrole may-bind
  bind on clusterroles of rbac.authorization.k8s.io named secrets
  bind on roles of rbac.authorization.k8s.io named secrets
  bound to user:bea
)";

struct Attempt {
  std::string resource;
  std::string json;  // without metadata
  std::string old = "";
  std::string name_space = "";
  std::string path_name = "";  // empty: a POST
};

class RbacEscalationTest : public testing::Test {
 protected:
  void SetUp() override { roles_.put(kPolicy); }

  Result<void> write(const User& user, const Attempt& what) {
    Request request;
    request.resource = &roles_.resource_named(what.resource);
    request.name_space = what.name_space;
    request.name = what.path_name;
    request.user = std::make_shared<const User>(user);
    const json::Document object = with_metadata(what.json);
    const json::Document old = what.old.empty() ? json::Document() : with_metadata(what.old);
    const Admission admission{request, what.old.empty() ? Operation::kCreate : Operation::kUpdate,
                              old.root(), false};
    EXPECT_TRUE(plugin_.concerns(admission));
    return plugin_.validate(object.root(), admission);
  }

  static json::Document with_metadata(const std::string& json) {
    const bool has = json.find("\"metadata\"") != std::string::npos;
    const auto document =
        json::parse(has ? json : R"({"metadata":{"name":"new"},)" + json.substr(1));
    EXPECT_TRUE(document.ok()) << json;
    return document->copy();
  }

  static std::string message(const Result<void>& result) {
    return result.ok() ? "ok" : result.status().message();
  }

  TestRoles roles_;
  RbacEscalation plugin_{roles_.rbac, roles_.index, roles_.schema};
  const User jane_ = user_named("jane", {"devs", "system:authenticated"});
};

constexpr const char* kSecrets =
    R"({"rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["secrets","pods"]},)"
    R"({"verbs":["get"],"nonResourceURLs":["/metrics"]}]})";

TEST_F(RbacEscalationTest, RefusesRulesThatTheWriterDoesNotHold) {
  const Result<void> refused = write(jane_, {.resource = "clusterroles", .json = kSecrets});
  ASSERT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_EQ(refused.status().message(),
            "clusterroles.rbac.authorization.k8s.io \"new\" is forbidden: user \"jane\" "
            "(groups=[\"devs\" \"system:authenticated\"]) is attempting to grant RBAC permissions "
            "not currently held:\n"
            "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}\n"
            "{NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}");
  EXPECT_EQ(refused.status().details().kind, "clusterroles");
  EXPECT_EQ(refused.status().details().name, "new");
  const std::string other = message(
      write(user_named("nobody"), {.resource = "roles", .json = kSecrets, .name_space = "x"}));
  EXPECT_TRUE(other.starts_with(
      "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"nobody\" (groups=[]) is "))
      << other;
}

TEST_F(RbacEscalationTest, AllowsWhatIsHeld) {
  const char* pods = R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})";
  const char* services =
      R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["services"]}]})";
  const char* named = R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],)"
                      R"("resourceNames":["two"]}]})";
  EXPECT_EQ(message(write(jane_, {.resource = "clusterroles", .json = pods})), "ok");
  EXPECT_EQ(message(write(jane_, {.resource = "clusterroles", .json = named})), "ok");
  EXPECT_EQ(message(write(jane_, {.resource = "clusterroles", .json = R"({"rules":null})"})), "ok");
  // Permissions in a namespace suffice for roles of that namespace.
  EXPECT_EQ(message(write(jane_, {.resource = "roles", .json = services, .name_space = "x"})),
            "ok");
  EXPECT_NE(message(write(jane_, {.resource = "roles", .json = services, .name_space = "y"})),
            "ok");
  EXPECT_NE(message(write(jane_, {.resource = "clusterroles", .json = services})), "ok");
  EXPECT_EQ(message(write(user_named("admin"), {.resource = "clusterroles", .json = kSecrets})),
            "ok");
}

TEST_F(RbacEscalationTest, AsksNoMasters) {
  const User root = user_named("root", {"system:masters"});
  EXPECT_EQ(message(write(root, {.resource = "clusterroles", .json = kSecrets})), "ok");
  EXPECT_EQ(message(write(root, {.resource = "clusterrolebindings",
                                 .json = R"({"roleRef":{"kind":"ClusterRole","name":"none"}})"})),
            "ok");
}

TEST_F(RbacEscalationTest, LetsThoseEscalateWhoMay) {
  const User esther = user_named("esther");
  Attempt role{.resource = "clusterroles", .json = kSecrets, .old = R"({"rules":[]})"};
  role.path_name = "special";
  EXPECT_EQ(message(write(esther, role)), "ok");
  role.path_name = "other";
  EXPECT_NE(message(write(esther, role)), "ok");
  // A POST has no name in its path.
  role.path_name = "";
  role.old = "";
  EXPECT_NE(message(write(esther, role)), "ok");
}

TEST_F(RbacEscalationTest, ChecksTheWholeRoleAtAnUpdate) {
  Attempt role{.resource = "clusterroles", .json = kSecrets, .old = kSecrets};
  role.json = R"({"metadata":{"name":"new","labels":{"a":"b"}},)" + std::string(kSecrets).substr(1);
  EXPECT_NE(message(write(jane_, role)), "ok");
}

TEST_F(RbacEscalationTest, LetsTheGarbageCollectorGo) {
  const std::string rest = R"(},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]})";
  Attempt role{.resource = "clusterroles",
               .json = R"({"metadata":{"name":"a","resourceVersion":"5","finalizers":[],)"
                       R"("managedFields":[{"manager":"gc"}])" +
                       rest,
               .old = R"({"metadata":{"name":"a","resourceVersion":"4","finalizers":["x"],)"
                      R"("ownerReferences":[{"uid":"1"}])" +
                      rest};
  EXPECT_EQ(message(write(jane_, role)), "ok");
  role.json.insert(role.json.find("finalizers") - 1, R"("labels":{"a":"b"},)");
  EXPECT_NE(message(write(jane_, role)), "ok");
}

TEST_F(RbacEscalationTest, WantsEverythingForAggregation) {
  const char* gathers =
      R"({"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]},"rules":null})";
  const std::string refusal =
      "clusterroles.rbac.authorization.k8s.io \"new\" is forbidden: must have cluster-admin "
      "privileges to use the aggregationRule";
  EXPECT_EQ(message(write(jane_, {.resource = "clusterroles", .json = gathers})), refusal);
  EXPECT_EQ(message(write(user_named("admin"), {.resource = "clusterroles", .json = gathers})),
            "ok");
  // Removing an aggregation is an escalation, too.
  EXPECT_EQ(message(write(
                jane_, {.resource = "clusterroles", .json = R"({"rules":null})", .old = gathers})),
            refusal);
}

TEST_F(RbacEscalationTest, RefusesToBindWhatTheWriterDoesNotHold) {
  const auto bind = [](std::string_view kind, std::string_view name) {
    return R"({"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" + std::string(kind) +
           R"(","name":")" + std::string(name) + R"("},"subjects":[]})";
  };
  const std::string refusal =
      " \"new\" is forbidden: user \"jane\" (groups=[\"devs\" \"system:authenticated\"]) is "
      "attempting to grant RBAC permissions not currently held:\n"
      "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}";
  const Attempt cluster{.resource = "clusterrolebindings", .json = bind("ClusterRole", "secrets")};
  const Attempt local{
      .resource = "rolebindings", .json = bind("Role", "secrets"), .name_space = "x"};
  const Attempt mixed{
      .resource = "rolebindings", .json = bind("ClusterRole", "secrets"), .name_space = "x"};
  EXPECT_EQ(message(write(jane_, cluster)),
            "clusterrolebindings.rbac.authorization.k8s.io" + refusal);
  EXPECT_EQ(message(write(jane_, local)), "rolebindings.rbac.authorization.k8s.io" + refusal);
  EXPECT_EQ(message(write(jane_, mixed)), "rolebindings.rbac.authorization.k8s.io" + refusal);
  for (const Attempt& one : {cluster, local, mixed}) {
    EXPECT_EQ(message(write(user_named("bea"), one)), "ok");
    EXPECT_EQ(message(write(user_named("admin"), one)), "ok");
  }
  EXPECT_EQ(message(write(
                jane_, {.resource = "clusterrolebindings", .json = bind("ClusterRole", "pods")})),
            "ok");
  EXPECT_EQ(
      message(write(jane_,
                    {.resource = "rolebindings", .json = bind("Role", "jane"), .name_space = "x"})),
      "ok");
}

TEST_F(RbacEscalationTest, FindsNoRoleThatIsNotThere) {
  const Result<void> missing = write(jane_, {.resource = "rolebindings",
                                             .json = R"({"roleRef":{"kind":"Role","name":"none"}})",
                                             .name_space = "x"});
  ASSERT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_EQ(missing.status().message(), "roles.rbac.authorization.k8s.io \"none\" not found");
  EXPECT_EQ(message(write(jane_, {.resource = "clusterrolebindings",
                                  .json = R"({"roleRef":{"kind":"ClusterRole","name":"none"}})"})),
            "clusterroles.rbac.authorization.k8s.io \"none\" not found");
}

TEST_F(RbacEscalationTest, SaysWhichRolesOfTheWriterAreMissing) {
  roles_.put("clusterrole gone\n  bound to user:jane\n");
  roles_.remove("clusterroles", "", "gone");
  const std::string text = message(write(jane_, {.resource = "clusterroles", .json = kSecrets}));
  EXPECT_TRUE(
      text.ends_with("{NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}; resolution errors: "
                     "[clusterroles.rbac.authorization.k8s.io \"gone\" not found]"))
      << text;
}

TEST_F(RbacEscalationTest, ConcernsRolesAndBindingsOnly) {
  Request request;
  const auto concerns = [&](Operation operation) {
    return plugin_.concerns(Admission{request, operation, {}, false});
  };
  request.resource = &roles_.resource_named("rolebindings");
  EXPECT_TRUE(concerns(Operation::kCreate));
  EXPECT_TRUE(concerns(Operation::kUpdate));
  EXPECT_FALSE(concerns(Operation::kDelete));
  EXPECT_FALSE(concerns(Operation::kConnect));
  request.resource = roles_.schema.find_resource("", "v1", "pods");
  EXPECT_FALSE(concerns(Operation::kCreate));
}

}  // namespace
}  // namespace proa::apiserver
