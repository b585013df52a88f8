#include "controllers/storage/expansion.h"

#include "api/object/view.h"
#include "api/quantity.h"
#include "json/text/scan.h"
#include "kinds/core/volumes/volume_facts.h"

namespace proa::controllers {
namespace expansion {

using client::Again;
using client::Change;
using client::Key;
using json::Scan;

api::Quantity capacity_of(const api::Object& claim) {
  const std::string_view capacity = Scan::find(Scan::find(claim.json(), "status"), "capacity");
  Result<api::Quantity> amount =
      api::Quantity::parse(Scan::unquoted(Scan::find(capacity, "storage")));
  return amount ? std::move(*amount) : api::Quantity();
}

// Bound, and smaller than requested.
bool is_to_grow(const api::Object& claim) {
  const kinds::ClaimFacts& facts = kinds::claim_facts(claim);
  return facts.phase == "Bound" && facts.request > capacity_of(claim);
}

class VolumeExpander final : public Controller {
 public:
  explicit VolumeExpander(const ControllerContext& context)
      : events_(context.events),
        claims_(context.informers.of("", "persistentvolumeclaims")),
        volumes_(context.informers.of("", "persistentvolumes")) {}

  void listen(client::WorkQueue& queue) override {
    claims_.add_handler([&queue](const Change& change) {
      if (change.after == nullptr || !is_to_grow(*change.after)) return;
      const bool is_news =
          change.before == nullptr ||
          kinds::claim_facts(*change.after).request > kinds::claim_facts(*change.before).request ||
          capacity_of(*change.after) > capacity_of(*change.before);
      if (is_news) queue.add(change.key);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr claim = claims_.cache().get(key);
    if (claim == nullptr || !is_to_grow(*claim)) return Again{};
    const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
    const api::ObjectPtr volume = volumes_.cache().get({"", facts.volume});
    if (volume == nullptr) return Again{};
    const auto& owner = kinds::volume_facts(*volume).claim;
    if (!owner || owner->uid != facts.uid) return Again{};
    events_.normal(client::ObjectReference::to(*claim), "ExternalExpanding",
                   "waiting for an external controller to expand this PVC");
    return Again{};
  }

 private:
  client::EventRecorder& events_;
  client::Informer& claims_;
  client::Informer& volumes_;
};

}  // namespace expansion

std::unique_ptr<Controller> make_volume_expander(const ControllerContext& context) {
  return std::make_unique<expansion::VolumeExpander>(context);
}

}  // namespace proa::controllers
