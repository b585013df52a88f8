#pragma once

#include <memory>
#include <utility>

#include "api/schema/resource.h"

namespace proa::apiserver {

// A resource in use. Built-in ones live as long as the program; a custom one as long as somebody
// holds its definition, which this does.
class ResourcePtr {
 public:
  ResourcePtr() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): built-in resources are plain pointers
  ResourcePtr(const api::Resource* builtin) : resource_(builtin) {}
  ResourcePtr(const api::Resource* resource, std::shared_ptr<const void> owner)
      : resource_(resource), owner_(std::move(owner)) {}

  const api::Resource* get() const { return resource_; }
  const api::Resource* operator->() const { return resource_; }
  const api::Resource& operator*() const { return *resource_; }
  // Another resource of the same definition, such as the stored version.
  ResourcePtr with(const api::Resource* other) const { return {other, owner_}; }
  bool operator==(std::nullptr_t) const { return resource_ == nullptr; }

 private:
  const api::Resource* resource_ = nullptr;
  std::shared_ptr<const void> owner_;
};

}  // namespace proa::apiserver
