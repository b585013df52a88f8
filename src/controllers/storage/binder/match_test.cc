#include "controllers/storage/binder/match.h"

#include <gtest/gtest.h>

#include "testkit/controllers/storage_world.h"

namespace proa::controllers::storage {
namespace {

api::ObjectPtr object_of(const std::string& text, const std::string& status) {
  json::Document document = json::parse(text).value();
  api::Edit(document).copy("status", json::parse(status).value().root());
  const api::Edit metadata = api::Edit(document).object("metadata");
  if (!metadata.has("namespace")) metadata.set("namespace", "default");
  metadata.set("uid", "uid-" + std::string(metadata["name"].text()));
  return api::Object::make(json::print(document.root()));
}

api::ObjectPtr volume_of(const TestVolume& volume, const std::string& phase = "Available") {
  return object_of(volume.json(), R"({"phase":")" + phase + "\"}");
}

struct MatchCase {
  const char* name;
  TestClaim claim;
  std::vector<TestVolume> volumes;
  std::string best;  // empty: none
  bool delayed = false;
};

TEST(FindBestMatch, TakesWhatFitsClosest) {
  const std::vector<MatchCase> cases = {
      {"the smallest that is large enough",
       {.size = "5Gi"},
       {{.name = "a", .size = "10Gi"}, {.name = "b", .size = "5Gi"}, {.name = "c", .size = "1Gi"}},
       "b"},
      {"none is large enough", {.size = "5Gi"}, {{.name = "a", .size = "4Gi"}}, ""},
      {"the fewest access modes come before the size",
       {},
       {{.name = "a", .size = "1Gi", .modes = {"ReadWriteOnce", "ReadOnlyMany"}},
        {.name = "b", .size = "9Gi"}},
       "b"},
      {"a mode that the volume lacks", {.mode = "ReadWriteMany"}, {{.name = "a"}}, ""},
      {"another class", {.storage_class = "gold"}, {{.name = "a"}}, ""},
      {"its class",
       {.storage_class = "gold"},
       {{.name = "a"}, {.name = "b", .storage_class = "gold"}},
       "b"},
      {"another volumeMode", {.volume_mode = "Block"}, {{.name = "a"}}, ""},
      {"labels that the selector wants",
       {.selector = R"({"matchLabels":{"tier":"fast"}})"},
       {{.name = "a"}, {.name = "b", .size = "9Gi", .labels = {{"tier", "fast"}}}},
       "b"},
      {"one that is somebody else's", {}, {{.name = "a", .claim = "other"}}, ""},
      {"one that is reserved goes before smaller ones, whatever its class and labels",
       {.selector = R"({"matchLabels":{"tier":"fast"}})"},
       {{.name = "a", .labels = {{"tier", "fast"}}},
        {.name = "b", .size = "9Gi", .storage_class = "gold", .claim = "data"}},
       "b"},
      {"one that is reserved, but too small",
       {.size = "5Gi"},
       {{.name = "a", .claim = "data"}},
       ""},
      {"one that was bound to another claim of that name",
       {},
       {{.name = "a", .claim = "data", .claim_uid = "old"}},
       ""},
      {"what the scheduler chooses", {}, {{.name = "a"}}, "", true},
      {"what is reserved needs no scheduler", {}, {{.name = "a", .claim = "data"}}, "a", true},
      {"of the same the first by name", {}, {{.name = "b"}, {.name = "a"}}, "a"},
  };
  for (const MatchCase& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr claim = object_of(c.claim.json(), R"({"phase":"Pending"})");
    std::vector<api::ObjectPtr> volumes;
    for (const TestVolume& volume : c.volumes) volumes.push_back(volume_of(volume));
    const api::ObjectPtr best = find_best_match(kinds::claim_facts(*claim), volumes, c.delayed);
    EXPECT_EQ(best == nullptr ? "" : std::string(best->metadata().name), c.best);
  }
}

TEST(FindBestMatch, LeavesVolumesAloneThatAreNotAvailable) {
  const api::ObjectPtr claim = object_of(TestClaim{}.json(), "{}");
  for (const char* phase : {"Pending", "Released", "Failed", "Bound"}) {
    const std::vector<api::ObjectPtr> volumes = {volume_of({}, phase)};
    EXPECT_EQ(find_best_match(kinds::claim_facts(*claim), volumes, false), nullptr) << phase;
  }
}

TEST(Mismatch, SaysWhyInTheWordsOfUpstream) {
  const struct {
    TestVolume volume;
    std::string why;
  } cases[] = {
      {{}, ""},
      {{.size = "1Mi"}, "requested PV is too small"},
      {{.storage_class = "gold"}, "storageClassName does not match"},
      {{.volume_mode = "Block"}, "incompatible volumeMode"},
      {{.modes = {"ReadOnlyMany"}}, "incompatible accessMode"},
  };
  const api::ObjectPtr claim = object_of(TestClaim{}.json(), "{}");
  for (const auto& c : cases) {
    EXPECT_EQ(mismatch(kinds::volume_facts(*volume_of(c.volume)), kinds::claim_facts(*claim)),
              c.why);
  }
}

}  // namespace
}  // namespace proa::controllers::storage
