#pragma once

#include <functional>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/storage/binder/plan.h"

namespace proa::controllers::storage {

// Claims and volumes as the binder knows them, and what it writes about them. Remembers its own
// writes until the caches have heard of them. Keys: claims have a namespace, volumes have none.
// Safe to use from any thread.
class Ledger {
 public:
  // Adds indexes to informers that are not started yet.
  explicit Ledger(const ControllerContext& context);

  client::Informer& claims() const { return claims_; }
  client::Informer& volumes() const { return volumes_; }
  client::Informer& classes() const { return classes_; }
  client::Informer& pods() const { return pods_; }

  // Volumes that are reserved for that claim, or bound to one of its name.
  std::vector<api::ObjectPtr> volumes_of(const client::Key& claim) const;
  // Volumes of that class that are nobody's.
  std::vector<api::ObjectPtr> free_volumes(std::string_view class_name) const;
  // Claims that name no volume, and that class, or none when it is empty.
  std::vector<api::ObjectPtr> pending_claims(std::string_view class_name) const;
  std::vector<api::ObjectPtr> claims_naming(std::string_view volume) const;
  std::vector<api::ObjectPtr> pods_using(const client::Key& claim) const;
  // Null when there is none.
  const kinds::ClassFacts* class_of(const kinds::ClaimFacts& claim, api::ObjectPtr& holder) const;
  // The newest of those that are said to be the default; null when there is none.
  api::ObjectPtr default_class() const;
  // Asks the server.
  Result<api::ObjectPtr> claim_now(const client::Key& claim) const;

  // Whether the caches have heard of everything that was written for that claim or volume.
  bool is_up_to_date(const client::Key& key);
  void forget(const client::Key& key);

  // Changes a copy, and writes it when `edit` says that it changed something. The object as it is
  // then; kConflict when it was not as it was seen.
  using Change = std::function<bool(json::Document&)>;
  Result<api::ObjectPtr> change_claim(const api::ObjectPtr& claim, const Change& edit);
  Result<api::ObjectPtr> change_claim_status(const api::ObjectPtr& claim, const Change& edit);
  Result<api::ObjectPtr> change_volume(const api::ObjectPtr& volume, const Change& edit);
  Result<api::ObjectPtr> change_volume_phase(const api::ObjectPtr& volume, std::string_view phase,
                                             std::string_view message = {});
  // This very state of it; success when it is gone already.
  Result<void> remove_volume(const api::Object& volume);
  // What was written about a volume was written for that claim: it must not look for another one
  // before the caches know.
  void wrote_for(const client::Key& claim, const api::Object& volume);

  void tell(const api::Object& about, const Notice& notice);

 private:
  Result<api::ObjectPtr> change(const api::Resource& resource, Freshness& freshness,
                                const api::ObjectPtr& object, std::string_view part,
                                const Change& edit);

  client::Client& client_;
  client::EventRecorder& events_;
  const api::Resource& claim_resource_;
  const api::Resource& volume_resource_;
  client::Informer& claims_;
  client::Informer& volumes_;
  client::Informer& classes_;
  client::Informer& pods_;
  Freshness claim_writes_;
  Freshness volume_writes_;
};

}  // namespace proa::controllers::storage
