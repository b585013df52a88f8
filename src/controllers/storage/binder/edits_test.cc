#include "controllers/storage/binder/edits.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers::storage {
namespace {

struct StatusCase {
  const char* name;
  std::string before;  // the claim's status
  std::string phase;
  std::string volume;  // empty: none
  std::string after;
};

TEST(SetClaimStatus, TakesOverWhatTheVolumeIs) {
  const std::string volume =
      R"({"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"2Gi"},)"
      R"("volumeAttributesClassName":"silver"}})";
  const StatusCase cases[] = {
      {"bound", R"({"phase":"Pending"})", "Bound", volume,
       R"({"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"2Gi"},)"
       R"("currentVolumeAttributesClassName":"silver"})"},
      {"bound already, and others changed its size and attributes",
       R"({"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
       R"("currentVolumeAttributesClassName":"gold"})",
       "Bound", volume,
       R"({"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
       R"("currentVolumeAttributesClassName":"gold"})"},
      {"lost",
       R"({"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
       R"("conditions":[{"type":"A"}]})",
       "Lost", "", R"({"phase":"Lost","conditions":[{"type":"A"}]})"},
      {"a volume that grows", R"({"phase":"Pending"})", "Bound",
       R"({"metadata":{"annotations":{"volume.alpha.kubernetes.io/pre-resize-capacity":"1Gi"}},)"
       R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"2Gi"}}})",
       R"({"phase":"Bound","accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"}})"},
  };
  for (const StatusCase& c : cases) {
    SCOPED_TRACE(c.name);
    json::Document claim = json::parse(R"({"status":)" + c.before + "}").value();
    json::Document bound = json::parse(c.volume.empty() ? "{}" : c.volume).value();
    const api::View seen = c.volume.empty() ? api::View() : api::View(bound.root());
    EXPECT_EQ(set_claim_status(claim, c.phase, seen), c.before != c.after);
    EXPECT_EQ(json::print(*api::View(claim.root())["status"].value()), c.after);
  }
}

}  // namespace
}  // namespace proa::controllers::storage
