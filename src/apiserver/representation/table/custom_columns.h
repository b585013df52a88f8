#pragma once

#include <string>

#include "base/time.h"
#include "custom/columns/printer_columns.h"
#include "custom/definition/definition.h"
#include "json/value.h"

namespace proa::apiserver {

// The columns that a definition adds to the name; without any, the age.
class CustomColumns {
 public:
  explicit CustomColumns(const custom::CustomResource& resource);

  // As the columnDefinitions of a Table.
  void write_definitions(std::string& out) const;
  // The cells of a row, without brackets. `steps` are those of the whole table.
  void write_cells(std::string& out, const json::Value& object, Time now,
                   custom::PathSteps& steps) const;

 private:
  json::Document definition_;  // of the resource; its parts are in columns_
  json::Document age_;
  const json::Value* stated_ = nullptr;
  custom::PrinterColumns columns_;

  const json::Value* find(const custom::CustomResource& resource);
};

}  // namespace proa::apiserver
