#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/elf_symbols.h"

namespace proa::profile {

// The code of the program or of a library, in memory.
struct CodeMapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t file_offset = 0;
  uint64_t base = 0;     // what the loader added to the file's addresses
  std::string file;      // its path; the program's own is resolved
  std::string build_id;  // in hexadecimal; empty: it has none

  bool contains(uint64_t address) const { return address >= begin && address < end; }
};

// What is loaded now, in the loader's order: the program comes first.
std::vector<CodeMapping> loaded_code();

// The names of functions of loaded code. Files are mapped when first asked about, and stay so as
// long as this lives. Not thread-safe.
class FunctionNames {
 public:
  explicit FunctionNames(std::vector<CodeMapping> code) : code_(std::move(code)) {
    files_.resize(code_.size());
  }
  ~FunctionNames();
  FunctionNames(const FunctionNames&) = delete;
  FunctionNames& operator=(const FunctionNames&) = delete;

  const std::vector<CodeMapping>& code() const { return code_; }
  // The index of the mapping, or code().size().
  size_t mapping_of(uint64_t address) const;
  // Mangled; empty if it is unknown. A view that lives as long as this.
  std::string_view name_of(uint64_t address);

 private:
  struct File {
    bool opened = false;
    std::string_view bytes;
    std::vector<ElfSymbol> symbols;
  };
  void open(size_t index);

  const std::vector<CodeMapping> code_;
  std::vector<File> files_;
};

}  // namespace proa::profile
