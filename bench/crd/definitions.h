#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "load/framing.h"

// CustomResourceDefinitions as Crossplane's providers install them by the hundred: one version, a
// schema of 20 kB that a tool wrote, mostly descriptions, with references, selectors and a rule.
namespace proa::crd_bench {

inline constexpr size_t kGroups = 40;

std::string group_of(size_t number);
std::string plural_of(size_t number);
std::string kind_of(size_t number);
std::string definition_name(size_t number);
// Its objects: a path of the API.
std::string objects_path(size_t number);

// The n-th definition as JSON. All differ: names, fields, texts.
std::string definition(size_t number);
// An object of its kind that takes about `bytes`. REQUIRES: at least 1,000.
std::string custom_object(size_t number, std::string_view name, size_t bytes);

load::Request create_definition(size_t number);

// A kind with the fields that bench/cel_bench's rules are about, with 10 such rules or without.
load::Request create_ruled_definition(bool has_rules);
std::string ruled_path(bool has_rules);
std::string ruled_object(bool has_rules, std::string_view name);

}  // namespace proa::crd_bench
