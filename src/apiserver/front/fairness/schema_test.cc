#include "apiserver/front/fairness/schema.h"

#include <gtest/gtest.h>

#include "apiserver/front/fairness/level_spec.h"

namespace proa::apiserver::fairness {
namespace schema_test {

FlowSchema read(const std::string& spec) {
  return read_flow_schema(*api::Object::make(
      R"({"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"s",)"
      R"("uid":"u","resourceVersion":"1"},"spec":)" +
      spec + "}"));
}

FlowSchema with_rule(const std::string& subjects, const std::string& rules) {
  return read(R"({"priorityLevelConfiguration":{"name":"l"},"matchingPrecedence":7,"rules":[)"
              R"({"subjects":[)" +
              subjects + "]," + rules + "}]}");
}

constexpr const char* kEverybody = R"({"kind":"Group","group":{"name":"*"}})";
constexpr const char* kEverything =
    R"("resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"],)"
    R"("clusterScope":true}])";

TEST(ReadFlowSchema, ReadsWhatDecides) {
  const FlowSchema schema =
      read(R"({"priorityLevelConfiguration":{"name":"l"},"matchingPrecedence":7,)"
           R"("distinguisherMethod":{"type":"ByNamespace"}})");
  EXPECT_EQ(schema.name, "s");
  EXPECT_EQ(schema.uid, "u");
  EXPECT_EQ(schema.level, "l");
  EXPECT_EQ(schema.precedence, 7);
  EXPECT_EQ(schema.distinguisher, FlowSchema::Distinguisher::kByNamespace);
}

TEST(FlowSchema, MatchesSubjects) {
  const User jane{.name = "jane", .uid = {}, .groups = {"developers"}, .extra = {}};
  const User account{
      .name = "system:serviceaccount:kube-system:a", .uid = {}, .groups = {}, .extra = {}};
  struct Case {
    const char* subject;
    bool jane;
    bool account;
  };
  const Case cases[] = {
      {R"({"kind":"User","user":{"name":"jane"}})", true, false},
      {R"({"kind":"User","user":{"name":"*"}})", true, true},
      {R"({"kind":"User","user":{"name":"joe"}})", false, false},
      {R"({"kind":"Group","group":{"name":"developers"}})", true, false},
      {R"({"kind":"Group","group":{"name":"*"}})", true, true},
      {R"({"kind":"ServiceAccount","serviceAccount":{"namespace":"kube-system","name":"a"}})",
       false, true},
      {R"({"kind":"ServiceAccount","serviceAccount":{"namespace":"kube-system","name":"*"}})",
       false, true},
      {R"({"kind":"ServiceAccount","serviceAccount":{"namespace":"kube","name":"*"}})", false,
       false},
      {R"({"kind":"ServiceAccount","serviceAccount":{"namespace":"kube-system","name":"b"}})",
       false, false},
      {R"({"kind":"Dog"})", false, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.subject);
    const FlowSchema schema = with_rule(c.subject, kEverything);
    Attributes request{.user = &jane, .verb = "get", .resource = "pods", .name_space = "default"};
    EXPECT_EQ(schema.matches(request), c.jane);
    request.user = &account;
    EXPECT_EQ(schema.matches(request), c.account);
  }
}

TEST(FlowSchema, MatchesResources) {
  const User jane{.name = "jane", .uid = {}, .groups = {}, .extra = {}};
  const FlowSchema schema = with_rule(
      kEverybody, R"("resourceRules":[{"verbs":["get","list"],"apiGroups":["apps"],)"
                  R"("resources":["deployments","deployments/status"],"namespaces":["a","b"]}])");
  const Attributes matching{
      .user = &jane, .verb = "get", .group = "apps", .resource = "deployments", .name_space = "a"};
  EXPECT_TRUE(schema.matches(matching));
  Attributes other = matching;
  other.subresource = "status";
  EXPECT_TRUE(schema.matches(other));
  other.subresource = "scale";
  EXPECT_FALSE(schema.matches(other));
  other = matching;
  other.verb = "update";
  EXPECT_FALSE(schema.matches(other));
  other = matching;
  other.group = "";
  EXPECT_FALSE(schema.matches(other));
  other = matching;
  other.name_space = "c";
  EXPECT_FALSE(schema.matches(other));
  other.name_space = "";
  EXPECT_FALSE(schema.matches(other)) << "not at the scope of the cluster";
  other = {.user = &jane, .verb = "get", .is_resource = false, .path = "/deployments"};
  EXPECT_FALSE(schema.matches(other));
}

TEST(FlowSchema, MatchesPaths) {
  const User jane{.name = "jane", .uid = {}, .groups = {}, .extra = {}};
  const FlowSchema schema =
      with_rule(kEverybody,
                R"("nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/a/*"]}])");
  for (const char* path : {"/healthz", "/healthz/etcd", "/a/b", "/a/b/c"}) {
    EXPECT_TRUE(schema.matches({.user = &jane, .verb = "get", .is_resource = false, .path = path}))
        << path;
  }
  for (const char* path : {"/healthzz", "/a", "/", "/readyz"}) {
    EXPECT_FALSE(schema.matches({.user = &jane, .verb = "get", .is_resource = false, .path = path}))
        << path;
  }
}

TEST(FlowSchema, DistinguishesFlows) {
  const User jane{.name = "jane", .uid = {}, .groups = {}, .extra = {}};
  const Attributes request{.user = &jane, .verb = "get", .name_space = "n"};
  FlowSchema schema;
  EXPECT_EQ(schema.distinguish(request), "");
  schema.distinguisher = FlowSchema::Distinguisher::kByUser;
  EXPECT_EQ(schema.distinguish(request), "jane");
  schema.distinguisher = FlowSchema::Distinguisher::kByNamespace;
  EXPECT_EQ(schema.distinguish(request), "n");
}

TEST(FlowSchema, PrecedesByPrecedenceThenByName) {
  FlowSchema a;
  a.name = "a";
  a.precedence = 2;
  FlowSchema b;
  b.name = "b";
  b.precedence = 1;
  EXPECT_TRUE(precedes(b, a));
  b.precedence = 2;
  EXPECT_TRUE(precedes(a, b));
}

TEST(MandatorySchemas, MatchMastersAndEverybody) {
  const User master{.name = "m", .uid = {}, .groups = {"system:masters"}, .extra = {}};
  const User nobody{.name = "n", .uid = {}, .groups = {"system:unauthenticated"}, .extra = {}};
  Attributes request{.user = &master, .verb = "get", .is_resource = false, .path = "/x"};
  EXPECT_TRUE(mandatory_exempt_schema().matches(request));
  request.user = &nobody;
  EXPECT_FALSE(mandatory_exempt_schema().matches(request));
  EXPECT_TRUE(mandatory_catch_all_schema().matches(request));
}

Result<LevelSpec> read_level(const std::string& name, const std::string& spec) {
  return read_level_spec(*api::Object::make(
      R"({"kind":"PriorityLevelConfiguration","apiVersion":"flowcontrol.apiserver.k8s.io/v1",)"
      R"("metadata":{"name":")" +
      name + R"(","uid":"u","resourceVersion":"1"},"spec":)" + spec + "}"));
}

TEST(ReadLevelSpec, ReadsLimitsAndQueues) {
  const auto level = read_level(
      "l", R"({"type":"Limited","limited":{"nominalConcurrencyShares":30,"lendablePercent":33,)"
           R"("borrowingLimitPercent":50,"limitResponse":{"type":"Queue","queuing":{"queues":64,)"
           R"("handSize":6,"queueLengthLimit":50}}}})");
  ASSERT_TRUE(level.ok());
  EXPECT_EQ(level->shares, 30);
  EXPECT_EQ(level->borrowing_percent, 50);
  EXPECT_EQ(level->queues.queues, 64);
  // The level "system" of 600 seats: 245 shares.
  const LevelLimits limits = limits_of(*level, 600, 245);
  EXPECT_EQ(limits, (LevelLimits{
                        .nominal = 74, .lower = 50, .upper = 111, .initial = 62, .max_seats = 12}));
}

TEST(LimitsOf, NobodyBorrowsMoreThanTheServerHas) {
  LevelSpec level;
  level.shares = 10;
  level.borrowing_percent = INT32_MAX;
  EXPECT_EQ(limits_of(level, 600, 10).upper, 1200);
  level.lendable_percent = INT32_MAX;
  EXPECT_EQ(limits_of(level, 600, 10).lower, 0);
}

TEST(ReadLevelSpec, RefusesWhatCannotBeUsed) {
  EXPECT_FALSE(read_level("l", R"({"type":"Exempt","exempt":{}})").ok());
  EXPECT_FALSE(read_level("exempt", R"({"type":"Limited","limited":{}})").ok());
  EXPECT_FALSE(read_level("l", R"({"type":"Limited"})").ok());
  EXPECT_FALSE(
      read_level("l", R"({"type":"Limited","limited":{"limitResponse":{"type":"Queue"}}})").ok());
  EXPECT_FALSE(read_level("l", R"({"type":"Limited","limited":{"limitResponse":{"type":"Queue",)"
                               R"("queuing":{"queues":4,"handSize":5,"queueLengthLimit":1}}}})")
                   .ok());
  EXPECT_TRUE(
      read_level("exempt", R"({"type":"Exempt","exempt":{"nominalConcurrencyShares":0}})").ok());
}

}  // namespace schema_test
}  // namespace proa::apiserver::fairness
