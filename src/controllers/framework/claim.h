#pragma once

#include <functional>
#include <vector>

#include "api/object/edit.h"
#include "api/selector/label_selector.h"
#include "controllers/framework/controller.h"

namespace proa::controllers {

// The owner of objects.
struct Owner {
  const api::Resource& resource;
  const api::Object& object;
};

// Adds the owner reference to new objects: controller=true, blockOwnerDeletion=true.
void put_owner_reference(api::Edit metadata, const Owner& owner);

// Finds the objects that an owner controls, adopts matching orphans of its namespace, and releases
// objects that no longer match. Follows upstream's rules, so that controllers can be exchanged.
class Claimer {
 public:
  // `resource` of the objects: "pods". Everything outlives it.
  Claimer(const ControllerContext& context, std::string_view group, std::string_view resource);

  using Filter = std::function<bool(const api::Object&)>;
  // Returns the owned objects; fails if something could not be adopted or released. `among`: other
  // objects are ignored. Empty: all are considered.
  Result<std::vector<api::ObjectPtr>> claim(const Owner& owner, const api::LabelSelector& selector,
                                            const Filter& among = {});
  // The same for owners that match by more than labels, such as by name.
  Result<std::vector<api::ObjectPtr>> claim(const Owner& owner, const Filter& wanted,
                                            const Filter& among = {});
  // The objects that name the owner as their controller; read-only.
  std::vector<api::ObjectPtr> owned_by(const api::Object& owner) const;
  const client::Informer& informer() const { return informer_; }

 private:
  // Checks with the server that the owner still exists: the cache may be stale.
  Result<bool> may_adopt(const Owner& owner) const;
  Result<api::ObjectPtr> adopt(const Owner& owner, const api::Object& object);
  Result<void> release(const Owner& owner, const api::Object& object);

  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& informer_;
};

}  // namespace proa::controllers
