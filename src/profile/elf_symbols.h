#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace proa::profile {

// A function of an ELF file, at its address before the file is loaded.
struct ElfSymbol {
  uint64_t address = 0;
  uint64_t size = 0;
  std::string_view name;  // mangled; a view into the file
};

// The functions of a 64-bit file of this machine's byte order, by address; of its full table, or of
// what it exports if that was stripped. Nothing is read outside of `file`: a file that is no ELF
// file, or a damaged one, has fewer symbols or none.
std::vector<ElfSymbol> read_elf_symbols(std::string_view file);

// The function that contains the address, or null. REQUIRES: sorted by address.
const ElfSymbol* find_symbol(const std::vector<ElfSymbol>& symbols, uint64_t address);

}  // namespace proa::profile
