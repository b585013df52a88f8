#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/typed/decode.h"
#include "controllers/framework/informers.h"

// The fields of CustomResourceDefinitions that their controllers decide by.

namespace proa::controllers::definitions {

struct Names {
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> categories;

  bool operator==(const Names&) const = default;
  static const api::FieldTable& table();
};

struct Version {
  std::string name;
  bool served = false;

  bool operator==(const Version&) const = default;
  static const api::FieldTable& table();
};

struct Spec {
  std::string group;
  Names names;
  std::vector<Version> versions;

  static const api::FieldTable& table();
};

struct StatusCondition {
  std::string type;
  std::string status;
  std::string reason;

  static const api::FieldTable& table();
};

struct DefinitionStatus {
  std::vector<StatusCondition> conditions;
  Names accepted;

  static const api::FieldTable& table();
};

struct DefinitionFacts {
  Spec spec;
  DefinitionStatus status;

  bool holds(std::string_view condition) const;
  // Whether all names were accepted as they are now.
  bool has_its_names() const { return spec.names == status.accepted && holds("NamesAccepted"); }
  static const api::FieldTable& table();
};

// Read once.
const DefinitionFacts& facts_of(const api::Object& definition);

inline constexpr std::string_view kGroup = "apiextensions.k8s.io";
inline constexpr std::string_view kResource = "customresourcedefinitions";
// Index of definitions by their group.
inline constexpr std::string_view kByGroup = "group";

// With that index.
client::Informer& informer_of(Informers& informers);
// "example.com" of "ships.example.com".
std::string group_of(std::string_view name);

}  // namespace proa::controllers::definitions
