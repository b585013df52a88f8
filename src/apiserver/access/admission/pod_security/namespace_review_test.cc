#include "apiserver/access/admission/pod_security/namespace_review.h"

#include <gtest/gtest.h>

#include "json/print.h"
#include "json/yaml.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver::pod_security {
namespace {

constexpr Standard kBaseline{Level::kBaseline, {}};

api::ObjectPtr make_pod(const std::string& name, const std::string& spec,
                        const std::string& controller = "") {
  std::string metadata = "name: " + name + ", namespace: test";
  if (!controller.empty()) {
    metadata +=
        ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: " + controller +
        ", controller: true}]";
  }
  const json::Document document =
      *json::parse_yaml("{metadata: {" + metadata + "}, spec: " + spec + "}");
  return api::Object::make(json::print(document.root()));
}

const char* const kHostNetwork = "{hostNetwork: true, containers: [{name: a}]}";
const char* const kHostPid = "{hostPID: true, containers: [{name: a}]}";
const char* const kPrivileged =
    "{hostNetwork: true, containers: [{name: a, securityContext: {privileged: true}}]}";
const char* const kHarmless = "{containers: [{name: a}]}";

using Texts = std::vector<std::string>;

const std::string kHead =
    "existing pods in namespace \"test\" violate the new PodSecurity enforce level "
    "\"baseline:latest\"";

TEST(NamespaceReview, CountsPodsThatAreAlike) {
  const testkit::FakeClock clock;
  const Exemptions nobody;
  const NamespaceReview review(nobody, clock);
  EXPECT_EQ(review.warnings("test", kBaseline, {}), Texts());
  EXPECT_EQ(review.warnings("test", kBaseline, {make_pod("a", kHarmless)}), Texts());
  EXPECT_EQ(review.warnings("test", kBaseline, {make_pod("z", kHostNetwork)}),
            (Texts{kHead, "z: host namespaces"}));
  EXPECT_EQ(
      review.warnings("test", kBaseline,
                      {make_pod("z", kHostNetwork), make_pod("b", kPrivileged),
                       make_pod("u", kHostPid), make_pod("c", kHarmless)}),
      (Texts{kHead, "b: host namespaces, privileged", "u (and 1 other pod): host namespaces"}));
  EXPECT_EQ(review.warnings("test", kBaseline,
                            {make_pod("z", kHostNetwork), make_pod("x", kHostNetwork),
                             make_pod("u", kHostPid)}),
            (Texts{kHead, "u (and 2 other pods): host namespaces"}));
}

TEST(NamespaceReview, LeavesExemptRuntimeClassesOut) {
  const testkit::FakeClock clock;
  const Exemptions exemptions{.users = {}, .namespaces = {}, .runtime_classes = {"vm"}};
  const NamespaceReview review(exemptions, clock);
  EXPECT_EQ(review.warnings("test", kBaseline,
                            {make_pod("a", "{hostPID: true, runtimeClassName: vm}"),
                             make_pod("b", "{hostPID: true, runtimeClassName: other}")}),
            (Texts{kHead, "b: host namespaces"}));
}

TEST(NamespaceReview, LooksAtReplicasLast) {
  const testkit::FakeClock clock;
  const Exemptions nobody;
  const NamespaceReview review(nobody, clock, {.pods = 3});
  EXPECT_EQ(review.warnings(
                "test", kBaseline,
                {make_pod("one-1", kHostNetwork, "uid1"), make_pod("one-2", kHostNetwork, "uid1"),
                 make_pod("one-3", kHostNetwork, "uid1"), make_pod("two-1", kHarmless, "uid2"),
                 make_pod("two-2", kHarmless, "uid2"), make_pod("x", kPrivileged)}),
            (Texts{"new PodSecurity enforce level only checked against the first 3 of 6 existing "
                   "pods",
                   kHead, "one-1: host namespaces", "x: host namespaces, privileged"}));
}

TEST(NamespaceReview, EndsInTime) {
  const testkit::FakeClock clock;
  const Exemptions nobody;
  const NamespaceReview review(nobody, clock, {.time = Duration(0)});
  EXPECT_EQ(review.warnings("test", kBaseline,
                            {make_pod("a", kHostNetwork), make_pod("b", kHostNetwork)}),
            (Texts{"new PodSecurity enforce level only checked against the first 1 of 2 existing "
                   "pods",
                   kHead, "a: host namespaces"}));
}

}  // namespace
}  // namespace proa::apiserver::pod_security
