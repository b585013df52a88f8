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

// Which objects of a resource a list or watch is about.
class Selection {
 public:
  // kBadRequest, in upstream's words, for fields that the resource can't be asked for.
  static Result<Selection> make(const api::Resource& resource, api::LabelSelector labels,
                                api::FieldSelector fields);

  bool everything() const { return labels_.matches_everything() && fields_.matches_everything(); }
  bool matches(const api::Object& object) const;
  // The name of the one object that can match, where the field selector says it.
  const std::optional<std::string>& only_name() const { return only_name_; }
  const std::optional<std::string>& only_namespace() const { return only_namespace_; }

 private:
  explicit Selection(const api::Resource& resource) : resource_(&resource) {}
  // Of a version that is not the stored one, whose fields have other names: asked for seldom, so
  // nothing is kept.
  bool matches_converted(const api::Object& object) const;
  std::string_view value_of(const api::Object& object, size_t place) const;

  const api::Resource* resource_;
  api::LabelSelector labels_;
  api::FieldSelector fields_;
  std::optional<std::string> only_name_;
  std::optional<std::string> only_namespace_;
};

}  // namespace proa::apiserver
