#include "controllers/workload/daemon/node_match.h"

#include <gtest/gtest.h>

#include "controllers/workload/daemon/daemon_pod.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace {

// A node "n1" of zone "a" with 8 cores.
api::ObjectPtr node(std::string_view taints = "") {
  return api::Object::make(
      R"({"metadata":{"name":"n1","labels":{"zone":"a","cores":"8"}},"spec":{"taints":[)" +
      std::string(taints) + "]}}");
}

// 's' may start there, '-' only stay, ' ' neither.
char judge(std::string_view pod_spec, std::string_view taints = "") {
  const json::Document document = json::parse(pod_spec).value();
  const NodeMatch::Verdict verdict = NodeMatch(document.root()).judge(*node(taints));
  return verdict.may_start ? 's' : verdict.may_stay ? '-' : ' ';
}

std::string affinity(std::string_view terms) {
  return R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[)" +
         std::string(terms) + "]}}}}";
}

std::string expression(std::string_view key, std::string_view op, std::string_view values = "") {
  return R"({"matchExpressions":[{"key":")" + std::string(key) + R"(","operator":")" +
         std::string(op) + R"(","values":[)" + std::string(values) + "]}]}";
}

std::string name_field(std::string_view op, std::string_view values) {
  return R"({"matchFields":[{"key":"metadata.name","operator":")" + std::string(op) +
         R"(","values":[)" + std::string(values) + "]}]}";
}

struct Case {
  const char* name;
  std::string pod_spec;
  char expected;
};

TEST(NodeMatch, GoesByNameLabelsAndAffinity) {
  const Case cases[] = {
      {"asks for nothing", "{}", 's'},
      {"its name", R"({"nodeName":"n1"})", 's'},
      {"another name", R"({"nodeName":"n2"})", ' '},
      {"its labels", R"({"nodeSelector":{"zone":"a","cores":"8"}})", 's'},
      {"other labels", R"({"nodeSelector":{"zone":"a","cores":"4"}})", ' '},
      {"no terms", affinity(""), ' '},
      {"an empty term", affinity("{}"), ' '},
      {"in", affinity(expression("zone", "In", R"("b","a")")), 's'},
      {"not in it", affinity(expression("zone", "In", R"("b")")), ' '},
      {"not in", affinity(expression("zone", "NotIn", R"("b")")), 's'},
      {"not in, without the label", affinity(expression("x", "NotIn", R"("b")")), 's'},
      {"exists", affinity(expression("zone", "Exists")), 's'},
      {"does not exist", affinity(expression("zone", "DoesNotExist")), ' '},
      {"more than", affinity(expression("cores", "Gt", R"("4")")), 's'},
      {"not more than", affinity(expression("cores", "Gt", R"("8")")), ' '},
      {"less than", affinity(expression("cores", "Lt", R"("9")")), 's'},
      {"what can't be understood", affinity(expression("cores", "Gt", R"("x")")), ' '},
      {"any term", affinity(expression("x", "Exists") + "," + expression("zone", "Exists")), 's'},
      {"the node's name", affinity(name_field("In", R"("n1")")), 's'},
      {"another one's", affinity(name_field("In", R"("n2")")), ' '},
      {"not another one's", affinity(name_field("NotIn", R"("n2")")), 's'},
      {"affinity and labels",
       R"({"nodeSelector":{"zone":"b"},)" + affinity(expression("zone", "Exists")).substr(1), ' '},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(judge(c.pod_spec), c.expected);
  }
}

TEST(NodeMatch, BearsTaintsThatItTolerates) {
  const std::string no_schedule = R"({"key":"k","value":"v","effect":"NoSchedule"})";
  const std::string no_execute = R"({"key":"k","value":"v","effect":"NoExecute"})";
  const std::string prefer = R"({"key":"k","value":"v","effect":"PreferNoSchedule"})";
  const auto tolerating = [](const std::string& toleration) {
    return R"({"tolerations":[{)" + toleration + "}]}";
  };
  EXPECT_EQ(judge("{}", no_schedule), '-');
  EXPECT_EQ(judge("{}", no_execute), ' ');
  EXPECT_EQ(judge("{}", prefer), 's');
  EXPECT_EQ(judge("{}", no_schedule + "," + no_execute), ' ');
  EXPECT_EQ(judge(tolerating(R"("operator":"Exists")"), no_execute), 's');
  EXPECT_EQ(judge(tolerating(R"("key":"k","operator":"Exists")"), no_execute), 's');
  EXPECT_EQ(judge(tolerating(R"("key":"k","value":"v")"), no_execute), 's');
  EXPECT_EQ(judge(tolerating(R"("key":"k","operator":"Equal","value":"w")"), no_execute), ' ');
  EXPECT_EQ(judge(tolerating(R"("key":"k","operator":"Gt","value":"1")"), no_schedule), '-');
  EXPECT_EQ(judge(tolerating(R"("key":"k","operator":"Exists","effect":"NoExecute")"), no_schedule),
            '-');
}

TEST(DaemonTolerations, AreAddedOnce) {
  json::Document document =
      json::parse(R"({"hostNetwork":true,"tolerations":[{"key":"mine"},{"key":)"
                  R"("node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
                  R"("tolerationSeconds":5}]})")
          .value();
  put_daemon_tolerations(api::Edit(document));
  const std::string once = json::print(document.root());
  EXPECT_EQ(once,
            R"({"hostNetwork":true,"tolerations":[{"key":"mine"},)"
            R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"},)"
            R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute"},)"
            R"({"key":"node.kubernetes.io/disk-pressure","operator":"Exists","effect":)"
            R"("NoSchedule"},)"
            R"({"key":"node.kubernetes.io/memory-pressure","operator":"Exists","effect":)"
            R"("NoSchedule"},)"
            R"({"key":"node.kubernetes.io/pid-pressure","operator":"Exists","effect":)"
            R"("NoSchedule"},)"
            R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":)"
            R"("NoSchedule"},)"
            R"({"key":"node.kubernetes.io/network-unavailable","operator":"Exists","effect":)"
            R"("NoSchedule"}]})");
  put_daemon_tolerations(api::Edit(document));
  EXPECT_EQ(json::print(document.root()), once);
}

}  // namespace
}  // namespace proa::controllers
