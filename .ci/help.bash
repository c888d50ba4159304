# Every script here sources this file first: `--help` prints the comment at its top, `--version` the version.
case ${1-} in
  --help)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit
    ;;
  --version)
    node -p 'require(process.argv[1]).version' "$(realpath "$(dirname "$0")/../package.json")"
    exit
    ;;
esac
