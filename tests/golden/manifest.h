// Ids and receipts by name, which only the run that wrote a directory knows. The file beside the data has a
// line for each.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

namespace holdfast::golden {

class Manifest {
 public:
  static Manifest read(const std::filesystem::path& path) {
    Manifest manifest;
    std::ifstream file(path);
    for (std::string name, value; file >> name >> value;) manifest.note(name, value);
    return manifest;
  }
  void write(const std::filesystem::path& path) const {
    std::ofstream file(path);
    for (const auto& [name, value] : values_) file << name << ' ' << value << '\n';
    file.close();
    if (!file) throw std::runtime_error("could not write " + path.string());
  }

  void note(const std::string& name, std::string value) { values_[name] = std::move(value); }
  const std::string& at(const std::string& name) const { return values_.at(name); }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace holdfast::golden
