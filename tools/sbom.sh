#!/bin/sh
# The software bill of materials of a build as SPDX 2.3 in JSON, on the standard output: sbom.sh JOUNCE. One package per name in tools/dependencies.txt, with
# the version that the command is linked with (dpkg) or that viewer/package-lock.json fixes.
set -eu
here=$(dirname "$0")/..
command=$1
version=$(sed -n 's/^project(jounce VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
date=$(sed -n 's/^set(JOUNCE_DATE \([0-9-]*\)).*/\1/p' "$here/CMakeLists.txt")
linked=$(ldd "$command")

# version_of KIND FILE: "" where nobody knows it
version_of() {
    case $1 in
    linked | optional)
        path=$(echo "$linked" | awk -v name="$2" 'index($1, name) == 1 {print $3; exit}')
        [ -n "$path" ] || return 0
        package=$({ dpkg -S "$path" || dpkg -S "$(readlink -f "$path")"; } 2>/dev/null | head -n 1 | cut -d: -f1)
        [ -z "$package" ] || dpkg-query -W -f='${Version}\n' "$package" 2>/dev/null | head -n 1
        ;;
    embedded) awk -v name="\"node_modules/$2\"" 'index($0, name) {found = 1} found && /"version"/ {gsub(/[",]/, "", $2); print $2; exit}' "$here/viewer/package-lock.json" ;;
    esac
}

package() { # package ID NAME VERSION HOME LICENCE
    printf '    {"SPDXID": "%s", "name": "%s", "versionInfo": "%s", "downloadLocation": "%s", "filesAnalyzed": false, "licenseDeclared": "%s", "licenseConcluded": "%s", "copyrightText": "NOASSERTION"}' \
        "$1" "$2" "$3" "$4" "$5" "$5"
}

cat <<HEAD
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "jounce-$version",
  "documentNamespace": "urn:jounce:sbom:$version",
  "creationInfo": {"created": "${date}T00:00:00Z", "creators": ["Tool: tools/sbom.sh"]},
  "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-HDF5", "name": "HDF5 licence", "extractedText": "Copyright The HDF Group: COPYING of HDF5, a BSD-style licence"}],
  "packages": [
HEAD
package SPDXRef-jounce jounce "$version" NOASSERTION Apache-2.0
relations="" seen=""
rows=$(grep -v '^#' "$here/tools/dependencies.txt" | sed 's/ *| */|/g')
while IFS='|' read -r name kind licence file home; do
    id=SPDXRef-$(echo "$name" | tr -c 'A-Za-z0-9.\n' '-')
    case " $seen " in *" $id "*) continue ;; esac
    seen="$seen $id"
    found=$(version_of "$kind" "$file")
    echo ","
    package "$id" "$name" "${found:-unknown}" "$home" "$licence"
    case $kind in linked | optional) link=DYNAMIC_LINK ;; embedded) link=CONTAINS ;; *) link=DEPENDS_ON ;; esac
    relations="$relations,
    {\"spdxElementId\": \"SPDXRef-jounce\", \"relationshipType\": \"$link\", \"relatedSpdxElement\": \"$id\"}"
done <<ROWS
$rows
ROWS
cat <<TAIL

  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-jounce"}$relations
  ]
}
TAIL
