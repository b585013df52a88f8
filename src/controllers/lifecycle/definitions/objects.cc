#include "controllers/lifecycle/definitions/objects.h"

#include <algorithm>

namespace proa::controllers::definitions {

using api::entry;

const api::FieldTable& Names::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Names::plural>("plural"),          entry<&Names::singular>("singular"),
      entry<&Names::short_names>("shortNames"), entry<&Names::kind>("kind"),
      entry<&Names::list_kind>("listKind"),     entry<&Names::categories>("categories"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apiextensions.k8s.io/v1/CustomResourceDefinitionNames", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Version::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Version::name>("name"),
      entry<&Version::served>("served"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apiextensions.k8s.io/v1/CustomResourceDefinitionVersion", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Spec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Spec::group>("group"),
      entry<&Spec::names>("names"),
      entry<&Spec::versions>("versions"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apiextensions.k8s.io/v1/CustomResourceDefinitionSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& StatusCondition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatusCondition::type>("type"),
      entry<&StatusCondition::status>("status"),
      entry<&StatusCondition::reason>("reason"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apiextensions.k8s.io/v1/CustomResourceDefinitionCondition", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DefinitionStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DefinitionStatus::conditions>("conditions"),
      entry<&DefinitionStatus::accepted>("acceptedNames"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apiextensions.k8s.io/v1/CustomResourceDefinitionStatus", .entries = kEntries};
  return kTable;
}

const api::FieldTable& DefinitionFacts::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&DefinitionFacts::spec>("spec"),
      entry<&DefinitionFacts::status>("status"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apiextensions.k8s.io/v1/CustomResourceDefinition", .entries = kEntries};
  return kTable;
}

bool DefinitionFacts::holds(std::string_view condition) const {
  return std::ranges::any_of(status.conditions, [&](const StatusCondition& one) {
    return one.type == condition && one.status == "True";
  });
}

const DefinitionFacts& facts_of(const api::Object& definition) {
  return definition.kept<DefinitionFacts>([&] {
    Result<DefinitionFacts> facts = api::decode<DefinitionFacts>(definition);
    return facts ? *std::move(facts) : DefinitionFacts();
  });
}

std::string group_of(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string() : std::string(name.substr(dot + 1));
}

client::Informer& informer_of(Informers& informers) {
  return informers.indexed(kGroup, kResource, kByGroup, [](const api::Object& definition) {
    return std::vector<std::string>{group_of(definition.metadata().name)};
  });
}

}  // namespace proa::controllers::definitions
