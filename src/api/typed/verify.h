#pragma once

#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "api/typed/table.h"

namespace proa::api {

// What in a table, and in the tables of its members, does not agree with the schema: types and
// fields that do not exist, members that cannot hold what the field is. Empty when all is well. For
// the test of each room's tables.
std::vector<std::string> verify(const FieldTable& table, const Schema& schema);

}  // namespace proa::api
