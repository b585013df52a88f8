#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/object/edit.h"
#include "api/quantity.h"

namespace proa::kinds::quota {

// Amounts by the names that quotas have for them: "pods", "requests.cpu", "count/jobs.batch".
using Amounts = std::map<std::string, api::Quantity, std::less<>>;
using ResourceNames = std::set<std::string, std::less<>>;

// What can't be read as a quantity is left out.
Amounts read_amounts(api::View list);
void write_amounts(api::Edit object, std::string_view field, const Amounts& amounts);

void add(Amounts& sum, const Amounts& more);
// For each name the larger one.
void take_larger(Amounts& most, const Amounts& other);
// What is more than before; nothing that is not.
Amounts growth(const Amounts& now, const Amounts& before);
Amounts only(const Amounts& amounts, const ResourceNames& names);
ResourceNames names_of(const Amounts& amounts);

// "cpu=1,memory=2Gi"
std::string text_of(const Amounts& amounts);
// "cpu,memory"
std::string text_of(const ResourceNames& names);

}  // namespace proa::kinds::quota
