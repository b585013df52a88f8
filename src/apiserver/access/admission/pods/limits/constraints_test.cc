#include "apiserver/access/admission/pods/limits/constraints.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::apiserver {
namespace {

// A spec with that many containers, each with these resources, and further fields.
std::string pod(int containers, const std::string& resources, const std::string& more = "") {
  std::string text = "{containers: [";
  for (int i = 0; i < containers; ++i) text += "{resources: " + resources + "}, ";
  return text + "]" + (more.empty() ? "" : ", " + more) + "}";
}

struct Case {
  std::string item;  // of the LimitRange
  std::string spec;
  std::string problems;
};

void expect_problems(std::string (*problems_of)(api::View limits, api::View spec),
                     std::span<const Case> cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.item + " " + c.spec);
    const json::Document limits = json::parse_yaml("[" + c.item + "]").value();
    const json::Document spec = json::parse_yaml(c.spec).value();
    EXPECT_EQ(problems_of(limits.root(), spec.root()), c.problems);
  }
}

TEST(LimitProblems, OfContainersAreFoundInEachOfThem) {
  const Case cases[] = {
      {"{type: Container, min: {cpu: 50m}}", pod(1, "{requests: {cpu: 100m}}"), ""},
      {"{type: Container, min: {cpu: 50m}}", pod(1, "{requests: {cpu: 100m}, limits: {cpu: 200m}}"),
       ""},
      {"{type: Container, min: {cpu: 50m}}", pod(1, "{requests: {cpu: 50m}}"), ""},
      {"{type: Container, min: {cpu: 50m}}", pod(1, "{requests: {cpu: 40m}}"),
       "minimum cpu usage per Container is 50m, but request is 40m"},
      {"{type: Container, min: {cpu: 50m}}", pod(1, "{requests: {cpu: 60m}, limits: {cpu: 40m}}"),
       "minimum cpu usage per Container is 50m, but limit is 40m"},
      {"{type: Container, min: {cpu: 50m}}", pod(1, "{}"),
       "minimum cpu usage per Container is 50m.  No request is specified"},
      {"{type: Container, min: {memory: 50Mi}}",
       pod(2, "{requests: {memory: 40Mi}, limits: {memory: 100Mi}}"),
       "minimum memory usage per Container is 50Mi, but request is 40Mi"},
      {"{type: Container, max: {cpu: '2'}}", pod(1, "{requests: {cpu: 500m}, limits: {cpu: '1'}}"),
       ""},
      {"{type: Container, max: {cpu: '2'}}", pod(1, "{limits: {cpu: '1'}}"), ""},
      {"{type: Container, max: {cpu: '2'}}", pod(1, "{limits: {cpu: '2'}}"), ""},
      {"{type: Container, max: {cpu: '2'}}", pod(1, "{limits: {cpu: 2500m}}"),
       "maximum cpu usage per Container is 2, but limit is 2500m"},
      {"{type: Container, max: {cpu: '2'}}", pod(1, "{requests: {cpu: '3'}, limits: {cpu: '1'}}"),
       "maximum cpu usage per Container is 2, but request is 3"},
      {"{type: Container, max: {cpu: '2'}}", pod(1, "{requests: {cpu: '1'}}"),
       "maximum cpu usage per Container is 2.  No limit is specified"},
      {"{type: Container, max: {memory: 1Gi}}", pod(1, "{limits: {memory: 2Gi}}"),
       "maximum memory usage per Container is 1Gi, but limit is 2Gi"},
      {"{type: Container, maxLimitRequestRatio: {cpu: '1.5'}}",
       pod(1, "{requests: {cpu: 500m}, limits: {cpu: 750m}}"), ""},
      {"{type: Container, maxLimitRequestRatio: {cpu: '1'}}",
       pod(1, "{requests: {cpu: 1250m}, limits: {cpu: 2500m}}"),
       "cpu max limit to request ratio per Container is 1, but provided ratio is 2.000000"},
      {"{type: Container, maxLimitRequestRatio: {cpu: '1'}}", pod(1, "{limits: {cpu: 2500m}}"),
       "cpu max limit to request ratio per Container is 1, but no request is specified or request "
       "is 0"},
      {"{type: Container, maxLimitRequestRatio: {cpu: '1'}}",
       pod(1, "{requests: {cpu: '1'}, limits: {cpu: '0'}}"),
       "cpu max limit to request ratio per Container is 1, but no limit is specified or limit is "
       "0"},
      {"{type: Container, min: {ephemeral-storage: 50Mi}, max: {ephemeral-storage: 1Gi}}",
       pod(2, "{requests: {ephemeral-storage: 40Mi}, limits: {ephemeral-storage: 2Gi}}"),
       "[minimum ephemeral-storage usage per Container is 50Mi, but request is 40Mi, maximum "
       "ephemeral-storage usage per Container is 1Gi, but limit is 2Gi]"},
      {"{type: Container, max: {cpu: '1'}}",
       pod(1, "{limits: {cpu: '1'}}", "initContainers: [{resources: {limits: {cpu: '2'}}}]"),
       "maximum cpu usage per Container is 1, but limit is 2"},
      {"{type: Container, max: {cpu: '1'}}",
       pod(1, "{limits: {cpu: '1'}}",
           "initContainers: [{restartPolicy: Always, resources: {limits: {cpu: '2'}}}]"),
       "maximum cpu usage per Container is 1, but limit is 2"},
      // Rounded up to milli-units before the comparison.
      {"{type: Container, min: {cpu: 1m}}", pod(1, "{requests: {cpu: 1n}}"), ""},
      // Too large for milli-units.
      {"{type: Container, max: {memory: 4Ei}}", pod(1, "{limits: {memory: 5Ei}}"),
       "maximum memory usage per Container is 4Ei, but limit is 5Ei"},
      {"{type: Container, max: {memory: 4Ei}}", pod(1, "{limits: {memory: 3Ei}}"), ""},
      {"{type: Container, min: {cpu: 50m}}", "{}", ""},
      {"{type: PersistentVolumeClaim, min: {storage: 1Gi}}", pod(1, "{}"), ""},
  };
  expect_problems(limit_problems_of_pod, cases);
}

TEST(LimitProblems, OfAPodAreThoseOfTheSum) {
  const Case cases[] = {
      {"{type: Pod, min: {cpu: 100m}}", pod(2, "{requests: {cpu: 75m}}"), ""},
      {"{type: Pod, min: {cpu: 100m}}", pod(2, "{requests: {cpu: 75m}, limits: {cpu: 200m}}"), ""},
      {"{type: Pod, min: {cpu: 100m}}", pod(1, "{requests: {cpu: 75m}}"),
       "minimum cpu usage per Pod is 100m, but request is 75m"},
      {"{type: Pod, min: {memory: 100Mi}}", pod(1, "{requests: {memory: 60Mi}}"),
       "minimum memory usage per Pod is 100Mi, but request is 60Mi"},
      {"{type: Pod, min: {memory: 100Mi}}",
       pod(1, "{requests: {memory: 60Mi}}",
           "initContainers: [{resources: {requests: {memory: 100Mi}}}]"),
       ""},
      {"{type: Pod, max: {cpu: '2'}}", pod(2, "{requests: {cpu: 500m}, limits: {cpu: '1'}}"), ""},
      {"{type: Pod, max: {cpu: '2'}}", pod(3, "{requests: {cpu: 500m}, limits: {cpu: '1'}}"),
       "maximum cpu usage per Pod is 2, but limit is 3"},
      {"{type: Pod, max: {cpu: '2'}}",
       pod(2, "{limits: {cpu: '1'}}",
           "initContainers: [{resources: {limits: {cpu: '2'}}}, {resources: {limits: {cpu: "
           "'2'}}}]"),
       ""},
      {"{type: Pod, max: {memory: 1Gi}}",
       pod(1, "{limits: {memory: 500Mi}}",
           "initContainers: [{resources: {limits: {memory: 1.5Gi}}}]"),
       "maximum memory usage per Pod is 1Gi, but limit is 1536Mi"},
      {"{type: Pod, max: {memory: 2Gi}, maxLimitRequestRatio: {memory: '1.5'}}",
       pod(3, "{requests: {memory: 300Mi}, limits: {memory: 450Mi}}"), ""},
      {"{type: Pod, max: {memory: 2Gi}, maxLimitRequestRatio: {memory: '1.5'}}",
       pod(3, "{requests: {memory: 250Mi}, limits: {memory: 500Mi}}"),
       "memory max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000"},
      // A sidecar runs concurrently with the containers, so its resources add up.
      {"{type: Pod, max: {cpu: '2'}}",
       pod(1, "{requests: {cpu: '1'}, limits: {cpu: 1500m}}",
           "initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1500m}}}]"),
       "maximum cpu usage per Pod is 2, but request is 2500m"},
      {"{type: Pod, max: {ephemeral-storage: 1Gi}}", pod(3, "{limits: {ephemeral-storage: 500Mi}}"),
       "maximum ephemeral-storage usage per Pod is 1Gi, but limit is 1500Mi"},
      {"{type: Pod, max: {cpu: '1'}}", "{}",
       "maximum cpu usage per Pod is 1.  No limit is specified"},
  };
  expect_problems(limit_problems_of_pod, cases);
}

TEST(LimitProblems, OfAPodGoByWhatWasSaidOfItAsAWhole) {
  const Case cases[] = {
      {"{type: Pod, max: {cpu: 400m, memory: 200Mi}}",
       pod(3, "{requests: {cpu: 100m, memory: 60Mi}, limits: {cpu: 200m, memory: 100Mi}}",
           "resources: {requests: {cpu: 200m, memory: 180Mi}, limits: {cpu: 400m, memory: 200Mi}}"),
       ""},
      {"{type: Pod, max: {cpu: 400m, memory: 200Mi}}",
       pod(3, "{requests: {cpu: 100m, memory: 60Mi}, limits: {cpu: 200m, memory: 100Mi}}",
           "resources: {requests: {cpu: 200m, memory: 180Mi}, limits: {cpu: 500m, memory: 280Mi}}"),
       "[maximum cpu usage per Pod is 400m, but limit is 500m, maximum memory usage per Pod is "
       "200Mi, but limit is 280Mi]"},
      {"{type: Pod, min: {cpu: 160m, memory: 200Mi}}",
       pod(3, "{requests: {cpu: 50m, memory: 60Mi}}",
           "resources: {requests: {cpu: 160m, memory: 200Mi}}"),
       ""},
      {"{type: Pod, min: {cpu: 160m, memory: 200Mi}}",
       pod(3, "{requests: {cpu: 50m, memory: 60Mi}}",
           "resources: {requests: {cpu: 100m, memory: 200Mi}}"),
       "minimum cpu usage per Pod is 160m, but request is 100m"},
      {"{type: Pod, max: {cpu: 160m, memory: 200Mi}}",
       pod(3, "{limits: {cpu: 50m, memory: 60Mi}}",
           "resources: {limits: {cpu: 160m, memory: 300Mi}}"),
       "maximum memory usage per Pod is 200Mi, but limit is 300Mi"},
      {"{type: Pod, max: {hugepages-2Mi: 4Mi}}",
       pod(1, "{limits: {hugepages-2Mi: 4Mi}}", "resources: {limits: {hugepages-2Mi: 8Mi}}"), ""},
  };
  expect_problems(limit_problems_of_pod, cases);
}

TEST(LimitProblems, OfAClaimAreThoseOfItsRequest) {
  const auto claim = [](const std::string& storage) {
    return "{resources: {requests: {storage: " + storage + "}}}";
  };
  const Case cases[] = {
      {"{type: PersistentVolumeClaim, min: {storage: 1Gi}}", claim("1Gi"), ""},
      {"{type: PersistentVolumeClaim, max: {storage: 1Gi}}", claim("1Gi"), ""},
      {"{type: PersistentVolumeClaim}", claim("100Gi"), ""},
      {"{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 10Gi}}", claim("5Gi"),
       ""},
      {"{type: PersistentVolumeClaim, min: {storage: 1Gi}}", claim("500Mi"),
       "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi"},
      {"{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 1Gi}}", claim("100Gi"),
       "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 100Gi"},
      {"{type: PersistentVolumeClaim, max: {storage: 1Gi}}", "{}",
       "maximum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified"},
      {"{type: PersistentVolumeClaim, min: {storage: 1Gi}}",
       "{resources: {requests: {storage: 2Gi}, limits: {storage: 1Mi}}}", ""},
      {"{type: Container, max: {storage: 1Gi}}", claim("100Gi"), ""},
  };
  expect_problems(limit_problems_of_claim, cases);
}

}  // namespace
}  // namespace proa::apiserver
