#include "kinds/coordination/lease.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::kinds {
namespace lease_test {

TEST(Lease, IsASignOfLifeWhenOnlyItsTimeChanged) {
  const std::string old =
      R"({"metadata": {"name": "n", "resourceVersion": "1", "labels": {"a": "b"}},
          "spec": {"holderIdentity": "n", "leaseDurationSeconds": 40, "leaseTransitions": 1,
                   "acquireTime": "2020-09-13T12:00:00.000000Z",
                   "renewTime": "2020-09-13T12:00:00.000000Z"}})";
  const struct {
    const char* from;
    const char* to;
    bool sign;
  } kCases[] = {
      {R"("renewTime": "2020-09-13T12:00:00)", R"("renewTime": "2020-09-13T12:00:10)", true},
      {R"("resourceVersion": "1")", R"("resourceVersion": "2")", true},
      {R"("holderIdentity": "n")", R"("holderIdentity": "m")", false},
      {R"("holderIdentity": "n")", R"("holderIdentity": "")", false},
      {R"("leaseDurationSeconds": 40)", R"("leaseDurationSeconds": 1)", false},
      {R"("leaseTransitions": 1)", R"("leaseTransitions": 2)", false},
      {R"("acquireTime": "2020)", R"("acquireTime": "2021)", false},
      {R"({"a": "b"})", R"({"a": "c"})", false},
      {R"("labels")", R"("annotations")", false},
  };
  const json::Document before = std::move(json::parse(old).value());
  for (const auto& one : kCases) {
    SCOPED_TRACE(one.to);
    std::string changed = old;
    changed.replace(changed.find(one.from), std::string_view(one.from).size(), one.to);
    const json::Document after = std::move(json::parse(changed).value());
    EXPECT_EQ(lease_rules().is_heartbeat(after.root(), before.root()), one.sign);
  }
}

}  // namespace lease_test
}  // namespace proa::kinds
