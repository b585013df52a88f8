#include "scheduler/plugins/volumes/binding/volume_choice.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "kinds/core/volumes/volume_match.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace volume_choice_test {

using testkit::ClaimBuilder;
using testkit::make_claim;
using testkit::make_node;
using testkit::make_volume;
using testkit::VolumeBuilder;

constexpr const char* kHost = "kubernetes.io/hostname";

std::string choose(const ClaimBuilder& claim, const std::vector<VolumeBuilder>& offered) {
  std::vector<api::ObjectPtr> volumes;
  for (const VolumeBuilder& volume : offered) volumes.push_back(volume.object());
  const VolumeChoice choice(kinds::claim_facts(*claim.object()), volumes);
  const api::ObjectPtr node = make_node("n1").hostname("n1").zone("a").object();
  const api::ObjectPtr* found = choice.find(node->metadata(), {});
  return found == nullptr ? "" : std::string((*found)->metadata().name);
}

struct ChoiceCase {
  const char* name;
  ClaimBuilder claim;
  std::vector<VolumeBuilder> volumes;
  const char* best;
};

TEST(VolumeChoice, TakesTheSmallestThatFits) {
  const ClaimBuilder claim = make_claim("data").request("5Gi");
  const auto volume = [](std::string_view name, std::string_view size = "5Gi") {
    return make_volume(name).capacity(size);
  };
  const auto reserved = [&](std::string_view name, std::string_view size) {
    return volume(name, size).claimed_by("default", "data");
  };
  const ChoiceCase cases[] = {
      {"none", claim, {}, ""},
      {"the smallest", claim, {volume("a", "9Gi"), volume("b", "5Gi"), volume("c", "4Gi")}, "b"},
      {"of the same size the first", claim, {volume("a"), volume("b")}, "a"},
      {"more access modes don't matter",
       claim,
       {volume("a").modes({"ReadWriteOnce", "ReadOnlyMany"}), volume("b", "6Gi")},
       "a"},
      {"a mode that is not there", make_claim("data").modes({"ReadWriteMany"}), {volume("a")}, ""},
      {"another class", ClaimBuilder(claim).storage_class("x"), {volume("a")}, ""},
      {"its class",
       ClaimBuilder(claim).storage_class("x"),
       {volume("a"), volume("b", "9Gi").storage_class("x")},
       "b"},
      {"another volumeMode", claim, {volume("a").json("spec.volumeMode", "\"Block\"")}, ""},
      {"another class of attributes",
       ClaimBuilder(claim).json("spec.volumeAttributesClassName", "\"gold\""),
       {volume("a"), volume("b").json("spec.volumeAttributesClassName", "\"gold\"")},
       "b"},
      {"labels that the claim wants",
       ClaimBuilder(claim).json("spec.selector", R"({"matchLabels":{"tier":"x"}})"),
       {volume("a"), volume("b", "9Gi").label("tier", "x")},
       "b"},
      {"not available", claim, {volume("a").json("status.phase", "\"Released\"")}, ""},
      {"about to go", claim, {volume("a").deleted_at("2026-01-01T00:00:00Z").finalizer("f")}, ""},
      {"somebody else's", claim, {volume("a").claimed_by("default", "other")}, ""},
      {"of the same name in another namespace", claim, {volume("a").claimed_by("x", "data")}, ""},
      {"what is reserved goes before what is smaller",
       claim,
       {volume("a"), reserved("b", "9Gi")},
       "b"},
      {"what is reserved, but too small", claim, {volume("a"), reserved("b", "1Gi")}, "a"},
      {"what is reserved, but elsewhere: then none",
       claim,
       {volume("a"), reserved("b", "9Gi").node_affinity(kHost, {"n2"})},
       ""},
      {"on this node", claim, {volume("a").node_affinity(kHost, {"n1"})}, "a"},
      {"on another node", claim, {volume("a").node_affinity(kHost, {"n2"})}, ""},
      {"on either", claim, {volume("a").node_affinity(kHost, {"n2", "n1"})}, "a"},
      {"any of two terms",
       claim,
       {volume("a")
            .node_affinity(kHost, {"n2"})
            .node_affinity("topology.kubernetes.io/zone", {"a"})},
       "a"},
      {"an affinity that selects nothing",
       claim,
       {volume("a").json("spec.nodeAffinity", R"({"required":{"nodeSelectorTerms":[]}})")},
       ""},
      {"the smallest, pinned or not",
       claim,
       {volume("a", "8Gi"), volume("b", "7Gi").node_affinity(kHost, {"n1"}),
        volume("c", "6Gi").node_affinity("topology.kubernetes.io/zone", {"a"}),
        volume("d").node_affinity(kHost, {"n2"})},
       "c"},
  };
  for (const ChoiceCase& c : cases) EXPECT_EQ(choose(c.claim, c.volumes), c.best) << c.name;
}

TEST(VolumeChoice, TakesNoneTwice) {
  const std::vector<api::ObjectPtr> volumes = {make_volume("a").object(),
                                               make_volume("b").object()};
  const VolumeChoice choice(kinds::claim_facts(*make_claim("data").object()), volumes);
  const api::ObjectPtr node = make_node("n1").object();
  std::vector<const api::ObjectPtr*> taken;
  for (const char* name : {"a", "b"}) {
    const api::ObjectPtr* found = choice.find(node->metadata(), taken);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ((*found)->metadata().name, name);
    taken.push_back(found);
  }
  EXPECT_EQ(choice.find(node->metadata(), taken), nullptr);
}

// The best one, found by looking at each.
std::string best_of(const std::vector<api::ObjectPtr>& volumes, const api::Metadata& node) {
  const api::ObjectPtr* best = nullptr;
  for (const api::ObjectPtr& volume : volumes) {
    const kinds::VolumeFacts& facts = kinds::volume_facts(*volume);
    if (facts.node_affinity && !facts.node_affinity->matches(node)) continue;
    if (best == nullptr || facts.capacity < kinds::volume_facts(**best).capacity) best = &volume;
  }
  return best == nullptr ? "" : std::string((*best)->metadata().name);
}

TEST(VolumeChoice, FindsByLabelsWhatALookAtEachWouldFind) {
  SeededRandom random(7);
  for (int round = 0; round < 30; ++round) {
    std::vector<api::ObjectPtr> volumes;
    for (int i = 0; i < 12; ++i) {
      auto volume = make_volume("v" + std::to_string(i));
      volume.capacity(std::to_string(1 + random.below(4)) + "Gi");
      for (uint64_t terms = random.below(3); terms > 0; --terms) {
        volume.node_affinity(
            random.below(2) == 0 ? kHost : "zone",
            {"x" + std::to_string(random.below(4)), "x" + std::to_string(random.below(4))});
      }
      volumes.push_back(volume.object());
    }
    const VolumeChoice choice(kinds::claim_facts(*make_claim("data").object()), volumes);
    for (int i = 0; i < 4; ++i) {
      const api::ObjectPtr node = make_node("n")
                                      .hostname("x" + std::to_string(i))
                                      .label("zone", "x" + std::to_string(random.below(4)))
                                      .object();
      const api::ObjectPtr* found = choice.find(node->metadata(), {});
      EXPECT_EQ(found == nullptr ? "" : std::string((*found)->metadata().name),
                best_of(volumes, node->metadata()));
    }
  }
}

}  // namespace volume_choice_test
}  // namespace proa::scheduler
