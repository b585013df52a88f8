#include "profile/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace proa::profile {
namespace elf_symbols {

// Files are not trusted to be aligned.
template <typename T>
std::optional<T> read_at(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string_view part_of(std::string_view file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || file.size() - offset < size) return {};
  return file.substr(offset, size);
}

std::string_view name_at(std::string_view names, uint32_t offset) {
  if (offset >= names.size()) return {};
  const std::string_view rest = names.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

bool is_ours(const Elf64_Ehdr& head) {
  constexpr unsigned char kOrder =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == kOrder && head.e_shentsize == sizeof(Elf64_Shdr);
}

std::vector<ElfSymbol> read_table(std::string_view file, const Elf64_Shdr& table,
                                  const Elf64_Shdr& strings) {
  const std::string_view bytes = part_of(file, table.sh_offset, table.sh_size);
  const std::string_view names = part_of(file, strings.sh_offset, strings.sh_size);
  std::vector<ElfSymbol> symbols;
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym)) {
    const Elf64_Sym symbol = *read_at<Elf64_Sym>(bytes, at);
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    const std::string_view name = name_at(names, symbol.st_name);
    if (!name.empty()) symbols.push_back({symbol.st_value, symbol.st_size, name});
  }
  std::ranges::stable_sort(symbols, {}, &ElfSymbol::address);
  return symbols;
}

}  // namespace elf_symbols

std::vector<ElfSymbol> read_elf_symbols(std::string_view file) {
  using namespace elf_symbols;  // NOLINT: of this file only
  const auto head = read_at<Elf64_Ehdr>(file, 0);
  if (!head || !is_ours(*head)) return {};
  std::vector<ElfSymbol> exported;
  for (uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto table = read_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!table) break;
    const bool full = table->sh_type == SHT_SYMTAB;
    if (!full && (table->sh_type != SHT_DYNSYM || !exported.empty())) continue;
    if (table->sh_link >= head->e_shnum) continue;
    const auto strings =
        read_at<Elf64_Shdr>(file, head->e_shoff + table->sh_link * sizeof(Elf64_Shdr));
    if (!strings) continue;
    std::vector<ElfSymbol> found = read_table(file, *table, *strings);
    if (full && !found.empty()) return found;
    exported = std::move(found);
  }
  return exported;
}

const ElfSymbol* find_symbol(const std::vector<ElfSymbol>& symbols, uint64_t address) {
  auto next = std::ranges::upper_bound(symbols, address, {}, &ElfSymbol::address);
  // Several names may share an address, and labels inside of functions have no size.
  for (int tries = 0; next != symbols.begin() && tries < 8; ++tries) {
    --next;
    if (address - next->address < next->size) return &*next;
  }
  return nullptr;
}

}  // namespace proa::profile
