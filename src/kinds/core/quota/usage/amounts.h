#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/object/edit.h"
#include "api/quantity.h"

namespace proa::kinds::quota {

// Amounts by quota resource name: "pods", "requests.cpu", "count/jobs.batch".
using Amounts = std::map<std::string, api::Quantity, std::less<>>;
using ResourceNames = std::set<std::string, std::less<>>;

// Skips values that are not quantities.
Amounts read_amounts(api::View list);
void write_amounts(api::Edit object, std::string_view field, const Amounts& amounts);

void add(Amounts& sum, const Amounts& more);
// The larger amount for each name.
void take_larger(Amounts& most, const Amounts& other);
// The increases only.
Amounts growth(const Amounts& now, const Amounts& before);
Amounts only(const Amounts& amounts, const ResourceNames& names);
ResourceNames names_of(const Amounts& amounts);

// "cpu=1,memory=2Gi"
std::string text_of(const Amounts& amounts);
// "cpu,memory"
std::string text_of(const ResourceNames& names);

}  // namespace proa::kinds::quota
