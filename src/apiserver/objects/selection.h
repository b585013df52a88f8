#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "api/selector/field_selector.h"
#include "api/selector/label_selector.h"
#include "base/result.h"

namespace proa::apiserver {

// The selectors of a list or watch.
class Selection {
 public:
  // Fails with kBadRequest and upstream's message for unsupported fields.
  static Result<Selection> make(const api::Resource& resource, api::LabelSelector labels,
                                api::FieldSelector fields);

  bool everything() const { return labels_.matches_everything() && fields_.matches_everything(); }
  bool matches(const api::Object& object) const;
  // Whether matches() has to read whole objects, and perhaps to convert them, which takes long.
  bool reads_objects() const;
  // The only name that can match, if the field selector implies one.
  const std::optional<std::string>& only_name() const { return only_name_; }
  const std::optional<std::string>& only_namespace() const { return only_namespace_; }

 private:
  explicit Selection(const api::Resource& resource) : resource_(&resource) {}
  // For a version other than the stored one, whose fields have other names. Rare, so nothing is
  // cached.
  bool matches_converted(const api::Object& object) const;
  std::string_view value_of(const api::Object& object, size_t place) const;

  const api::Resource* resource_;
  api::LabelSelector labels_;
  api::FieldSelector fields_;
  std::optional<std::string> only_name_;
  std::optional<std::string> only_namespace_;
};

}  // namespace proa::apiserver
