#pragma once

#include <functional>
#include <vector>

#include "controllers/framework/controller.h"
#include "controllers/framework/freshness.h"
#include "controllers/storage/binder/plan.h"

namespace proa::controllers::storage {

// The binder's view of claims and volumes, and its writes, tracked until the caches contain them.
// Claims have a namespace, volumes have none. Thread-safe.
class Ledger {
 public:
  // Adds indexes to informers that are not started yet.
  explicit Ledger(const ControllerContext& context);

  client::Informer& claims() const { return claims_; }
  client::Informer& volumes() const { return volumes_; }
  client::Informer& classes() const { return classes_; }
  client::Informer& pods() const { return pods_; }

  // Volumes reserved for the claim, or bound to one of its name.
  std::vector<api::ObjectPtr> volumes_of(const client::Key& claim) const;
  // Available volumes of that class.
  std::vector<api::ObjectPtr> free_volumes(std::string_view class_name) const;
  // Claims without a volume of that class; without a class if empty.
  std::vector<api::ObjectPtr> pending_claims(std::string_view class_name) const;
  std::vector<api::ObjectPtr> claims_naming(std::string_view volume) const;
  std::vector<api::ObjectPtr> pods_using(const client::Key& claim) const;
  // Null if it does not exist.
  const kinds::ClassFacts* class_of(const kinds::ClaimFacts& claim, api::ObjectPtr& holder) const;
  // The newest default class; null if there is none.
  api::ObjectPtr default_class() const;
  // Reads from the server.
  Result<api::ObjectPtr> claim_now(const client::Key& claim) const;

  // Whether the caches contain everything written for that claim or volume.
  bool is_up_to_date(const client::Key& key);
  void forget(const client::Key& key);

  // Edits a copy and writes it if `edit` returns true. Returns the resulting object; kConflict if
  // it has changed.
  using Change = std::function<bool(json::Document&)>;
  Result<api::ObjectPtr> change_claim(const api::ObjectPtr& claim, const Change& edit);
  Result<api::ObjectPtr> change_claim_status(const api::ObjectPtr& claim, const Change& edit);
  Result<api::ObjectPtr> change_volume(const api::ObjectPtr& volume, const Change& edit);
  Result<api::ObjectPtr> change_volume_phase(const api::ObjectPtr& volume, std::string_view phase,
                                             std::string_view message = {});
  // Deletes this version; success if it is already gone.
  Result<void> remove_volume(const api::Object& volume);
  // Attributes a write of a volume to a claim: the claim must not be bound again before the caches
  // contain it.
  void wrote_for(const client::Key& claim, const api::Object& volume);

  void tell(const api::Object& about, const Notice& notice);

 private:
  Result<api::ObjectPtr> change(const api::Resource& resource, Freshness& freshness,
                                const api::ObjectPtr& object, std::string_view part,
                                const Change& edit);

  const client::BoundedClient client_;
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
