#include "controllers/storage/pod_claims.h"

#include <gtest/gtest.h>

namespace proa::controllers::storage {
namespace {

api::ObjectPtr pod_of(const std::string& metadata, const std::string& status) {
  return api::Object::make(
      R"({"metadata":{"name":"web","namespace":"team")" + metadata +
      R"(},"spec":{"nodeName":"n1","volumes":[{"name":"a","persistentVolumeClaim":{)"
      R"("claimName":"data"}},{"name":"b","ephemeral":{}},{"name":"c","emptyDir":{}}]},"status":{)" +
      status + "}}");
}

TEST(PodClaims, NamesThoseOfVolumesAndThoseMadeForThePod) {
  const api::ObjectPtr pod = pod_of("", "");
  EXPECT_EQ(index_by_claim(*pod), (std::vector<std::string>{"team/data", "team/web-b"}));
  const PodClaims& claims = pod_claims(*pod);
  EXPECT_EQ(claims.node, "n1");
  EXPECT_FALSE(claims.uses[0].ephemeral);
  EXPECT_TRUE(claims.uses[1].ephemeral);
}

struct EndCase {
  const char* name;
  std::string metadata;
  std::string status;
  bool terminated;
  bool shut_down;
};

TEST(PodClaims, KnowWhenAPodIsOver) {
  const std::string leaving = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  const std::string runs = R"("containerStatuses":[{"state":{"running":{}}}])";
  const std::string ended = R"("containerStatuses":[{"state":{"terminated":{}}}])";
  const EndCase cases[] = {
      {"it runs", "", runs, false, false},
      {"it succeeded", "", R"("phase":"Succeeded")", true, false},
      {"it failed", "", R"("phase":"Failed")", true, false},
      {"its container ended, and may be started again", "", ended, false, false},
      {"it leaves, but runs", leaving, runs, false, false},
      {"it leaves, and nothing runs", leaving, ended, true, false},
      {"its kubelet is done", leaving + R"(,"deletionGracePeriodSeconds":0)", runs, false, true},
      {"it has time left", leaving + R"(,"deletionGracePeriodSeconds":9)", runs, false, false},
  };
  for (const EndCase& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr pod = pod_of(c.metadata, c.status);
    EXPECT_EQ(pod_claims(*pod).terminated, c.terminated);
    EXPECT_EQ(pod_claims(*pod).shut_down, c.shut_down);
  }
}

}  // namespace
}  // namespace proa::controllers::storage
