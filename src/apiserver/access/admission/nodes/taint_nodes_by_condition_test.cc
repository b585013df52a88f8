#include "apiserver/access/admission/nodes/taint_nodes_by_condition.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/restriction_case.h"

namespace proa::apiserver {
namespace {

class TaintNodesByConditionTest : public RestrictionTest {
 protected:
  TaintNodesByConditionTest() {
    plugin_ = make_taint_nodes_by_condition(
        {*store_, api::builtin_schema(), clock_, random_, answers_, metrics_, params_});
  }
  // The spec of a new node.
  std::string admitted(const std::string& node, Operation operation = Operation::kCreate,
                       const std::string& resource = "nodes") {
    Request request;
    request.user = std::make_shared<const User>(node_user("n"));
    request.resource = api::builtin_schema().find_resource("", "v1", resource);
    json::Document document = json::parse(node).value();
    const Admission admission{
        .request = request, .operation = operation, .old = {}, .dry_run = false};
    if (plugin_->concerns(admission)) {
      EXPECT_TRUE(plugin_->admit(api::Edit(document), admission).ok());
    }
    return json::print(document.root());
  }
};

const std::string kTaint = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";

TEST_F(TaintNodesByConditionTest, NewNodesAreNotReady) {
  EXPECT_EQ(admitted("{}"), R"({"spec":{"taints":[)" + kTaint + "]}}");
  EXPECT_EQ(admitted(R"({"spec":{"taints":null}})"), R"({"spec":{"taints":[)" + kTaint + "]}}");
  const std::string other = R"({"key":"my","value":"x","effect":"NoExecute"})";
  EXPECT_EQ(admitted(R"({"spec":{"taints":[)" + other + "]}}"),
            R"({"spec":{"taints":[)" + other + "," + kTaint + "]}}");
}

TEST_F(TaintNodesByConditionTest, OnceIsEnough) {
  const std::string tainted = R"({"spec":{"taints":[)" + kTaint + "]}}";
  EXPECT_EQ(admitted(tainted), tainted);
  // The effect matters, not the value.
  const std::string valued =
      R"({"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","value":"x","effect":"NoSchedule"}]}})";
  EXPECT_EQ(admitted(valued), valued);
  const std::string evicting = R"({"key":"node.kubernetes.io/not-ready","effect":"NoExecute"})";
  EXPECT_EQ(admitted(R"({"spec":{"taints":[)" + evicting + "]}}"),
            R"({"spec":{"taints":[)" + evicting + "," + kTaint + "]}}");
}

TEST_F(TaintNodesByConditionTest, NothingElseIsTouched) {
  EXPECT_EQ(admitted("{}", Operation::kUpdate), "{}");
  EXPECT_EQ(admitted("{}", Operation::kCreate, "pods"), "{}");
}

}  // namespace
}  // namespace proa::apiserver
